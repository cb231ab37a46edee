// Calculates in several threads for ever.
// The time of all threads counts together.
// ends: cpu_limit
// says: /TRAWL_RUN_CPU_S/
const { Worker } = require('node:worker_threads');

module.exports = () => {
  for (let n = 0; n < 3; n += 1) new Worker('for (;;);', { eval: true });
  return new Promise(() => {});
};
