// Starts a program that uses up the memory, and waits.
// All processes of a run share one limit.
// ends: memory_limit
// says: /TRAWL_RUN_MEMORY_MB/
const { execFileSync } = require('node:child_process');

module.exports = () => {
  execFileSync(process.execPath, ['-e', 'const all = []; for (;;) all.push(Buffer.alloc(1e6, 1))'], {
    stdio: 'ignore',
  });
};
