// Closes the pipe to the worker, so that nobody can hear of its end.
// It ends by that, or by its time.
// ends: process_ended | exception | time_limit
// time: 2000
const { closeSync } = require('node:fs');

module.exports = async () => {
  closeSync(4);
  await new Promise(resolve => setImmediate(resolve));
  return 'never heard';
};
