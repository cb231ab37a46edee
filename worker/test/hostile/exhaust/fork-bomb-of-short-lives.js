// Processes that each start a successor and end, so that none is there for long enough to be found.
// However short they live, they do not outlive the run; what they cost is counted.
// ends: process_limit | cpu_limit | time_limit
// time: 4000
const { spawn } = require('node:child_process');

module.exports = () => {
  const link = 'sh -c "$0" "$0" & sh -c "$0" "$0" & exit';
  spawn('sh', ['-c', link, link], { stdio: 'ignore', detached: true });
  return new Promise(() => setInterval(() => {}, 1000));
};
