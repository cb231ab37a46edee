// Starts 150 programs that end at once, and never waits for them.
// Zombies do not count towards the process limit.
// ends: end "done"
const { spawnSync } = require('node:child_process');

module.exports = () => {
  for (let n = 0; n < 150; n += 1) spawnSync('sh', ['-c', '(true &) ; true']);
  return 'done';
};
