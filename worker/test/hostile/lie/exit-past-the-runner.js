// Ends its process by a function that nobody else knows of.
// ends: process_ended
// says: /exit code 9/
module.exports = () => process.reallyExit(9);
