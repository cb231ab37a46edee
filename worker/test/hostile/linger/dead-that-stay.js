// Leaves more zombies than the process limit.
// ends: end "left"
const { spawn } = require('node:child_process');
const { once } = require('node:events');

module.exports = async () => {
  const program = 'for (1 .. 60) { fork or exit } $| = 1; print "up"; sleep 1000';
  const child = spawn('perl', ['-e', program], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  await Promise.race([once(child.stdout, 'data'), once(child, 'error')]);
  return 'left';
};
