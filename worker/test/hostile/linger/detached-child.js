// Starts a detached program that holds its pipes open.
// ends: end "gone"
const { spawn } = require('node:child_process');

module.exports = () => {
  spawn('sleep', ['1000'], { detached: true, stdio: 'inherit' }).unref();
  spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], {
    detached: true,
    stdio: ['inherit', 'inherit', 'inherit', 'inherit', 'inherit'],
  }).unref();
  return 'gone';
};
