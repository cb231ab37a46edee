// Starts programs that stay, one after another, without yielding.
// The number of its processes is bounded, and reaching it ends the run.
// ends: process_limit
// says: /TRAWL_RUN_PROCESSES/
const { spawn } = require('node:child_process');

module.exports = () => {
  for (;;) spawn('sleep', ['1000'], { stdio: 'ignore' }).on('error', () => {});
};
