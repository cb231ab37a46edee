// Leaves threads that calculate, and one that keeps its process alive.
// ends: end "left"
const { Worker } = require('node:worker_threads');

module.exports = async () => {
  const busy = 'require("node:worker_threads").parentPort.postMessage(1); for (;;);';
  const { once } = require('node:events');
  await Promise.all([1, 2].map(() => once(new Worker(busy, { eval: true }), 'message')));
  return 'left';
};
