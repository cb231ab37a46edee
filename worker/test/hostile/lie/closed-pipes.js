// Closes the pipe to the worker, so that it cannot report its result.
// That or the time limit ends it.
// ends: process_ended | exception | time_limit
// time: 2000
const { closeSync } = require('node:fs');

module.exports = async () => {
  closeSync(4);
  await new Promise(resolve => setImmediate(resolve));
  return 'never heard';
};
