// Kills every process that it may signal, even the first one of its namespace.
// It reaches only its own processes, and ends itself.
// ends: process_ended
const { execFileSync } = require('node:child_process');

module.exports = () => {
  execFileSync('sh', ['-c', 'kill -KILL 1; kill -KILL -1']);
  process.kill(-1, 'SIGKILL');
};
