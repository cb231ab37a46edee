// Starts children that are always busy, each in a session of its own, because the kernel's autogroups share the
// processors between sessions.
// The run's share of the processors does not grow with its sessions, and their processor time counts.
// ends: cpu_limit
// says: /TRAWL_RUN_CPU_S/
const { spawn } = require('node:child_process');

module.exports = () => {
  for (let n = 0; n < 20; n += 1) spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore', detached: true });
  return new Promise(() => setInterval(() => {}, 1000));
};
