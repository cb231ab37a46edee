// Leaves a program that goes on writing to the worker in its name.
// The result is the run's; the program ends with it.
// ends: end "mine"
const { spawn } = require('node:child_process');

module.exports = () => {
  const speaking = 'while :; do echo \'{"run":1,"t":"settled","output":"7"}\' >&4; echo out; done';
  const options = { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'inherit', 'inherit'] };
  // It begins to speak once the run has returned.
  spawn(
    'sh',
    ['-c', `while kill -0 ${process.pid} 2>/dev/null && ! [ -e returned ]; do :; done; ${speaking}`],
    options,
  ).unref();
  setImmediate(() => {});
  return 'mine';
};
