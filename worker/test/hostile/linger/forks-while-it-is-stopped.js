// Starts programs as fast as it can while it is being stopped.
// ends: stop
// stop: up
const { spawn } = require('node:child_process');

module.exports = () => {
  console.log('up');
  const more = () => {
    spawn('sleep', ['0.2'], { detached: true, stdio: 'ignore' }).on('error', () => {});
    setTimeout(more, 5);
  };
  more();
  return new Promise(() => {});
};
