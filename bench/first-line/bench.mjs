// @ts-check
// Time from the offer of a run to the first line of main.js on an idle worker. Baseline: the time from the spawn of
// `node main.js` to the first line of the same file. main.js itself reads the time, from the monotonic clock that all
// processes of a machine share.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { bareEnvironment, median, percentile, RUN_NODE } from '../platform.mjs';
import { startLoneWorker } from '../worker.mjs';

const runProgram = promisify(execFile);
const RUNS = 200;
/** Pause between runs, in which the worker prepares the next process. */
const PAUSE_MS = 100;
const GOAL = 0.05;
const MAIN = `
const at = String(process.hrtime.bigint());
module.exports = () => at;
if (require.main === module) console.log(at);
`;

const worker = await startLoneWorker();
const main = join(worker.dataDir, 'main.js');
writeFileSync(main, MAIN);

const since = (/** @type {bigint} */ began, /** @type {string} */ at) => Number(BigInt(at) - began) / 1e6;
const measurements = {
  worker: async () => {
    const began = process.hrtime.bigint();
    const { output } = await worker.run(MAIN);
    return since(began, JSON.parse(String(output)));
  },
  'node main.js': async () => {
    const began = process.hrtime.bigint();
    const { stdout } = await runProgram(RUN_NODE, [main], { env: bareEnvironment });
    return since(began, stdout.trim());
  },
};
/** @type {Record<keyof typeof measurements, number[]>} */
const times = { worker: [], 'node main.js': [] };
try {
  for (let turn = -10; turn < RUNS; turn++) {
    for (const name of /** @type {(keyof typeof measurements)[]} */ (Object.keys(measurements))) {
      const ms = await measurements[name]();
      if (turn >= 0) times[name].push(ms);
      await pause(PAUSE_MS);
    }
  }
  const row = (/** @type {keyof typeof measurements} */ name) => ({
    'first line of': name === 'worker' ? `a run (sandbox: ${worker.sandbox})` : name,
    'median (ms)': Number(median(times[name]).toFixed(2)),
    '99th percentile (ms)': Number(percentile(times[name], 0.99).toFixed(2)),
  });
  console.table([row('worker'), row('node main.js')]);
  const ratio = (/** @type {(values: number[]) => number} */ of) =>
    Number((of(times.worker) / of(times['node main.js'])).toFixed(3));
  console.log(
    JSON.stringify({
      bench: 'first-line',
      ratio: ratio(median),
      goal: GOAL,
      percentile_99: ratio(values => percentile(values, 0.99)),
    }),
  );
} finally {
  await worker.stop();
}
