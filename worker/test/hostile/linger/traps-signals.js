// Ignores every signal that can be ignored; so do its children.
// ends: stop
// stop: up
const { spawn } = require('node:child_process');
const { constants } = require('node:os');

module.exports = () => {
  for (const signal of Object.keys(constants.signals)) {
    try {
      process.on(signal, () => {});
    } catch {
      // Cannot be ignored.
    }
  }
  spawn('sh', ['-c', "trap '' HUP INT QUIT TERM PIPE ALRM USR1 USR2; while :; do sleep 1000; done"], {
    stdio: 'inherit',
  });
  console.log('up');
  return new Promise(() => setInterval(() => {}, 1000));
};
