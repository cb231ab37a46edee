// Starts a shell whose every process starts two more.
// The number of its processes is bounded, and reaching it ends the run.
// ends: process_limit
// says: /TRAWL_RUN_PROCESSES/
const { spawn } = require('node:child_process');

module.exports = () => {
  spawn('sh', ['-c', 'bomb() { bomb | bomb & }; bomb'], { stdio: 'ignore', detached: true });
  return new Promise(() => setInterval(() => {}, 1000));
};
