// Has programs calculate, each for a short time, one after the other.
// What those that have ended took counts as well.
// ends: cpu_limit
// says: /TRAWL_RUN_CPU_S/
const { spawn } = require('node:child_process');

module.exports = () => {
  const next = () =>
    spawn('perl', ['-e', 'my $n = 0; $n++ while $n < 3_000_000'], { stdio: 'ignore' }).on('exit', next);
  next();
  return new Promise(() => {});
};
