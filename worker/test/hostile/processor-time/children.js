// Starts programs one after another that each calculate for a short time.
// The time of ended programs counts too.
// ends: cpu_limit
// says: /TRAWL_RUN_CPU_S/
const { spawn } = require('node:child_process');

module.exports = () => {
  const next = () =>
    spawn('perl', ['-e', 'my $n = 0; $n++ while $n < 3_000_000'], { stdio: 'ignore' }).on('exit', next);
  next();
  return new Promise(() => {});
};
