// Gives its processes the names of the worker's processes.
// ends: end "renamed"
const { spawn } = require('node:child_process');

module.exports = () => {
  process.title = 'bwrap';
  const program = '$0 = "node /trawl/runtime/runner.cjs"; sleep 1000';
  spawn('perl', ['-e', program], { detached: true, stdio: 'ignore' }).on('error', () => {});
  spawn('bash', ['-c', 'exec -a bwrap sleep 1000'], { detached: true, stdio: 'ignore' }).on('error', () => {});
  return 'renamed';
};
