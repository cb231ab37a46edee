// Starts children that each open as many files as a process may have, to use up those of the system.
// The number of open files of all processes together is bounded.
// ends: file_limit
// says: /8000 in all.*TRAWL_RUN_OPEN_FILES/
const { spawn } = require('node:child_process');

module.exports = () => {
  const open = 'n=10; while [ $n -lt 990 ]; do eval "exec $n</dev/null"; n=$((n+1)); done; sleep 1000';
  for (let n = 0; n < 20; n += 1) spawn('bash', ['-c', open], { stdio: 'ignore', detached: true });
  return new Promise(() => setInterval(() => {}, 1000));
};
