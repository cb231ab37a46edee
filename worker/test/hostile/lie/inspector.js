// Opens the inspector of its process in every possible way, for others to connect.
// The port belongs to the run, and is closed with it.
// ends: end "open" | exception | process_ended
const { spawn } = require('node:child_process');
const inspector = require('node:inspector');

module.exports = async () => {
  inspector.open(0, '0.0.0.0');
  process.kill(process.pid, 'SIGUSR1');
  spawn(process.execPath, ['--inspect=0.0.0.0:0', '-e', 'setInterval(() => {}, 1000)'], {
    stdio: 'ignore',
    detached: true,
  });
  const session = new inspector.Session();
  session.connect();
  session.post('Runtime.evaluate', { expression: 'process.mainModule' });
  return 'open';
};
