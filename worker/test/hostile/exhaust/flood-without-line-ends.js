// Prints a line without an end.
// ends: echo_limit | time_limit
// time: 2000
const { spawn } = require('node:child_process');

module.exports = () => {
  spawn('sh', ['-c', 'cat /dev/zero'], { stdio: 'inherit' });
  return new Promise(() => {});
};
