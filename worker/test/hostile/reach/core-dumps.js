// Has a process dumped, memory and all, where others might find it.
// There are no dumps, and it cannot have any.
// ends: end []
const { execFileSync, spawnSync } = require('node:child_process');
const { readdirSync } = require('node:fs');
const got = require('../got.js');

const shell = command =>
  execFileSync('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim();

module.exports = () =>
  got({
    'at its size': () => shell('ulimit -c') !== '0',
    'raising it': () => shell('ulimit -c unlimited && ulimit -c'),
    'a dump': () => {
      spawnSync('sh', ['-c', 'kill -SEGV $$']);
      return readdirSync('.').some(name => name.startsWith('core'));
    },
  });
