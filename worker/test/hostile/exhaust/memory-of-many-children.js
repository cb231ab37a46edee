// Starts programs that each use little memory.
// All processes of a run share one limit.
// ends: memory_limit
// says: /TRAWL_RUN_MEMORY_MB/
const { spawn } = require('node:child_process');

module.exports = () => {
  for (let n = 0; n < 10; n += 1) spawn('perl', ['-e', 'my $held = "x" x 20_000_000; sleep 1000'], { stdio: 'ignore' });
  return new Promise(() => setInterval(() => {}, 1000));
};
