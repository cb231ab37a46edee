// A test loads this file into the worker. When the worker gets SIGUSR2, it collects its garbage and prints how much
// memory it still uses.
const v8 = require('node:v8');
const vm = require('node:vm');

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');
let asked = 0;

process.on('SIGUSR2', async () => {
  // Collect several times, because an object that is freed may refer to others that can be freed only the next time.
  for (let round = 0; round < 5; round += 1) {
    collect();
    await new Promise(resolve => setImmediate(resolve));
  }
  asked += 1;
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  process.stdout.write(`memory ${asked} ${JSON.stringify({ rss, heapUsed, external, arrayBuffers })}\n`);
});
