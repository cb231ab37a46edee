// Starts processes that each start a successor and end before they can be found.
// They end with the run.
// ends: process_limit | time_limit
// time: 4000
const { spawn } = require('node:child_process');

module.exports = () => {
  const link = 'sh -c "$0" "$0" & sh -c "$0" "$0" & exit';
  spawn('sh', ['-c', link, link], { stdio: 'ignore', detached: true });
  return new Promise(() => setInterval(() => {}, 1000));
};
