// Starts a program that leaves its group, its session and its parent, and returns.
// It ends with the run.
// ends: end "gone"
const { spawnSync } = require('node:child_process');

module.exports = () => {
  const daemon = "trap '' HUP TERM; (setsid sh -c 'cd /; sleep 1000 & setsid sleep 1000 &' &) ";
  spawnSync('sh', ['-c', daemon], { stdio: 'ignore' });
  return 'gone';
};
