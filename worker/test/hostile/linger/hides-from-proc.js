// Starts a program whose files in /proc belong to root, so that a search by user does not find it.
// It ends with the run.
// ends: end "hidden"
const { spawn } = require('node:child_process');
const { once } = require('node:events');

module.exports = async () => {
  // prctl(PR_SET_DUMPABLE, 0)
  const number = process.arch === 'arm64' ? 167 : 157;
  const child = spawn('perl', ['-e', `syscall(${number}, 4, 0, 0, 0, 0); $| = 1; print "up"; sleep 1000`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await Promise.race([once(child.stdout, 'data'), once(child, 'error')]);
  return 'hidden';
};
