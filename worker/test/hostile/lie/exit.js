// Ends its process as if all were well.
// ends: process_ended
// says: /exit code 0/
module.exports = () => process.exit(0);
