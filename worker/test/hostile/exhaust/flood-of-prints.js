// Starts programs that print for ever, past the runner.
// ends: echo_limit | time_limit
// time: 2500
const { spawn } = require('node:child_process');

module.exports = () => {
  spawn('yes', ['out'], { stdio: 'inherit' });
  spawn('sh', ['-c', 'yes err >&2'], { stdio: 'inherit' });
  return new Promise(() => {});
};
