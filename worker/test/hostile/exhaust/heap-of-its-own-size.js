// Raises the size of its heap above the run's limit, and fills it.
// The limit of the whole run applies.
// ends: memory_limit
// says: /TRAWL_RUN_MEMORY_MB/
const { Worker } = require('node:worker_threads');

require('node:v8').setFlagsFromString('--max-old-space-size=100000');
const filling = 'const all = []; for (;;) all.push(new Array(10_000).fill(all.length));';

module.exports = () => {
  new Worker(filling, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 100_000 } });
  return new Promise(() => {});
};
