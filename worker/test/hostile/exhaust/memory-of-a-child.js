// Has another program use memory up, while it waits.
// All of a run's processes have one limit together.
// ends: memory_limit
// says: /TRAWL_RUN_MEMORY_MB/
const { execFileSync } = require('node:child_process');

module.exports = () => {
  execFileSync(process.execPath, ['-e', 'const all = []; for (;;) all.push(Buffer.alloc(1e6, 1))'], {
    stdio: 'ignore',
  });
};
