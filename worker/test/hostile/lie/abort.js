// Aborts, which would normally dump the process.
// ends: process_ended
module.exports = () => process.abort();
