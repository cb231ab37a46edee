// Makes a process dump its memory where others might find it.
// No dump is written, and it cannot enable dumps.
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
