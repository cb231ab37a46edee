// Leaves a program that keeps writing to the worker in the run's name.
// The run's own result counts, and the program ends with the run.
// ends: end "mine"
const { spawn } = require('node:child_process');

module.exports = () => {
  const speaking = 'while :; do echo \'{"run":1,"t":"settled","output":"7"}\' >&4; echo out; done';
  const options = { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'inherit', 'inherit'] };
  // Starts writing after the run has returned.
  spawn(
    'sh',
    ['-c', `while kill -0 ${process.pid} 2>/dev/null && ! [ -e returned ]; do :; done; ${speaking}`],
    options,
  ).unref();
  setImmediate(() => {});
  return 'mine';
};
