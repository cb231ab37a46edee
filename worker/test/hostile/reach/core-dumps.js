// Makes a process dump its memory where others might find it.
// No dump is written, also if the machine pipes dumps to a program, and it cannot enable dumps. The kernel drops a
// piped dump only with a limit of one byte.
// ends: end []
const { execFileSync, spawnSync } = require('node:child_process');
const { readdirSync, readFileSync } = require('node:fs');
const got = require('../got.js');

const shell = command =>
  execFileSync('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim();

module.exports = () =>
  got({
    'at its limit': () => !/^Max core file size +1 +1 /m.test(readFileSync('/proc/self/limits', 'utf8')),
    'at its size': () => shell('ulimit -c') !== '0',
    'raising it': () => shell('ulimit -c unlimited && ulimit -c'),
    'a dump': () => {
      spawnSync('sh', ['-c', 'kill -SEGV $$']);
      return readdirSync('.').some(name => name.startsWith('core'));
    },
  });
