// Starts threads for ever, which all calculate.
// Threads count as processes, and their memory as the run's.
// ends: process_limit | memory_limit
const { Worker } = require('node:worker_threads');

module.exports = () => {
  const more = () => {
    for (let n = 0; n < 4; n += 1) new Worker('for (;;);', { eval: true }).on('error', () => {});
    setImmediate(more);
  };
  more();
  return new Promise(() => {});
};
