// Stops (SIGSTOP) its own process and its children, and then gets a stop.
// ends: stop
// stop: up
const { spawn } = require('node:child_process');

module.exports = () => {
  spawn('sleep', ['1000'], { detached: true });
  console.log('up');
  spawn('sh', ['-c', 'kill -STOP -1; kill -STOP $$'], { detached: true });
  return new Promise(() => setInterval(() => {}, 1000));
};
