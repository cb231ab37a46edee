// Loaded into the worker by a test: on SIGUSR2 it tidies its memory up and prints what is left.
const v8 = require('node:v8');
const vm = require('node:vm');

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');
let asked = 0;

process.on('SIGUSR2', async () => {
  // What is freed may hold other things that are freed the next time.
  for (let round = 0; round < 5; round += 1) {
    collect();
    await new Promise(resolve => setImmediate(resolve));
  }
  asked += 1;
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  process.stdout.write(`memory ${asked} ${JSON.stringify({ rss, heapUsed, external, arrayBuffers })}\n`);
});
