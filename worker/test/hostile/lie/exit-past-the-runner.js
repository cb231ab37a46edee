// Ends its process with an internal function, bypassing the runner.
// ends: process_ended
// says: /exit code 9/
module.exports = () => process.reallyExit(9);
