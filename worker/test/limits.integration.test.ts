import { execFileSync } from 'node:child_process';
import { runNodePath } from '../src/executor/run-nodes.js';
import { connectedWorker } from './connected-worker.js';

const LIMITS = {
  TRAWL_RUN_MEMORY_MB: '128',
  TRAWL_RUN_CPU_S: '2',
  TRAWL_RUN_PROCESSES: '40',
  TRAWL_RUN_FILES: '500',
  TRAWL_RUN_OPEN_FILES: '300',
  TRAWL_RUN_DISK_MB: '16',
};
const { platform } = connectedWorker(LIMITS);
const onLinux = process.platform === 'linux' ? test : test.skip;

/**
 * Skripts that reach a limit: name of the test, expected error code, pattern of the expected message, and the skript.
 */
const REACHED: [name: string, code: string, setting: string, skript: string][] = [
  [
    'memory outside the heap',
    'memory_limit',
    '128 MB of memory.*TRAWL_RUN_MEMORY_MB',
    'const all = []; for (;;) { all.push(Buffer.alloc(8e6, 1)); await new Promise(setImmediate); }',
  ],
  [
    'heap memory',
    'memory_limit',
    '128 MB of memory.*TRAWL_RUN_MEMORY_MB',
    'const all = []; for (;;) all.push(new Array(1e4).fill(all.length));',
  ],
  [
    'memory of a child process',
    'memory_limit',
    '128 MB of memory.*TRAWL_RUN_MEMORY_MB',
    "const hog = 'const all = []; for (;;) all.push(Buffer.alloc(8e6, 1))';\n" +
      "require('node:child_process').spawn(process.execPath, ['-e', hog]);\n" +
      'await new Promise(() => setInterval(() => {}, 1e3));',
  ],
  ['time of the processor', 'cpu_limit', '2 seconds of processor time.*TRAWL_RUN_CPU_S', 'for (;;);'],
  [
    'endlessly forking processes',
    'process_limit',
    '40 processes and threads.*TRAWL_RUN_PROCESSES',
    "require('node:child_process').spawn('/bin/sh', ['-c', 'b() { b & b & wait; }; b'], { stdio: 'ignore' });\n" +
      'await new Promise(() => setInterval(() => {}, 1e3));',
  ],
  [
    'processes, with an uncaught error for the refused one',
    'process_limit',
    '40 processes and threads.*TRAWL_RUN_PROCESSES',
    "for (;;) require('node:child_process').spawn('/bin/sleep', ['60']);",
  ],
  [
    'bytes on disk',
    'disk_limit',
    '16 MB to its disk.*TRAWL_RUN_DISK_MB',
    "const fs = require('node:fs');\n" +
      "for (let n = 0; ; n += 1) { try { fs.writeFileSync('file-' + n % 400, Buffer.alloc(1e6)); } catch {} await new Promise(setImmediate); }",
  ],
  [
    'bytes in the temporary folder',
    'disk_limit',
    '16 MB to its disk.*TRAWL_RUN_DISK_MB',
    "require('node:fs').writeFileSync('/tmp/file', Buffer.alloc(17e6));",
  ],
  [
    'files',
    'file_limit',
    '500 files.*TRAWL_RUN_FILES',
    "for (let n = 0; ; n += 1) { require('node:fs').writeFileSync('file-' + n, ''); await new Promise(setImmediate); }",
  ],
  [
    'open files',
    'file_limit',
    '300 open files.*TRAWL_RUN_OPEN_FILES',
    "for (;;) require('node:fs').openSync('/dev/null', 'r');",
  ],
];

onLinux.each(REACHED)(
  'a run that reaches the limit of %s ends with %s and names the setting',
  async (_name, code, says, skript) => {
    const finish = await platform.run(`module.exports = async () => { ${skript} };`);
    expect(finish).toMatchObject({ action: 'error', error_code: code });
    expect(finish.error_stack).toMatch(new RegExp(says));
    expect(await platform.run('module.exports = () => 1;')).toMatchObject({ action: 'end', output: '1' });
  },
);

test('the worker limits the heap of a run and of each of its threads, and keeps Node’s code cache valid', async () => {
  const { output } = await platform.run(`
    const v8 = require('node:v8');
    const cache = v8.cachedDataVersionTag();
    const { Worker } = require('node:worker_threads');
    const inThread = "require('worker_threads').parentPort.postMessage(require('v8').getHeapStatistics().heap_size_limit)";
    module.exports = async () => {
      const thread = await new Promise(resolve => new Worker(inThread, { eval: true }).once('message', resolve));
      return { cache, limits: [v8.getHeapStatistics().heap_size_limit, thread].map(bytes => bytes / 2 ** 20) };
    };`);
  const { cache, limits } = JSON.parse(output ?? '');
  // The young generation is not in the limit that the worker sets. Node 24 gives it up to 192 MB.
  for (const megabytes of limits) expect(megabytes).toBeLessThanOrEqual(128 + 192);
  // V8 accepts cached code with the same tag only.
  expect(cache).toBe(
    Number(execFileSync(runNodePath(24) ?? process.execPath, ['-p', 'v8.cachedDataVersionTag()'], { env: {} })),
  );
});
