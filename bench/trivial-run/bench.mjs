// @ts-check
// Time from the request that starts a skript to the response with its output. Baseline: `node main.js` on the same
// file.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { apiOf, bareEnvironment, makeDataDir, median, percentile, RUN_NODE, startPlatform } from '../platform.mjs';

const run = promisify(execFile);
const RUNS = 200;
const PAUSE_MS = 40;
/** Highest allowed time, as a multiple of the time of the baseline. */
const GOAL = 0.25;
/** The slowest hundredth of the answers back to back takes at most as long as that of the baseline. */
const GOAL_99 = 1;
const MAIN = 'module.exports = async input => input;\n';

/**
 * Measures Trawl and the baseline in turn, so that other load on the machine slows both of them.
 * @param {() => Promise<unknown>} ours
 * @param {() => Promise<unknown>} baseline
 * @param {number} pauseMs
 */
async function compare(ours, baseline, pauseMs) {
  const times = { ours: /** @type {number[]} */ ([]), baseline: /** @type {number[]} */ ([]) };
  for (let turn = 0; turn < RUNS; turn++) {
    for (const [list, work] of /** @type {const} */ ([
      [times.ours, ours],
      [times.baseline, baseline],
    ])) {
      const beganAt = performance.now();
      await work();
      list.push(performance.now() - beganAt);
      if (pauseMs > 0) await pause(pauseMs);
    }
  }
  return times;
}

const { dataDir, remove } = makeDataDir();
const platform = await startPlatform(dataDir);
try {
  const { call } = await apiOf(platform.url, dataDir, 'developer');
  const skript = await call('POST', '/joint-api/skripts/addnew', { title: 'Trivial run' });
  await call('POST', '/joint-api/skript-files/addnew', { skript_id: skript.id, name: 'main.js', content: MAIN });
  const main = join(dataDir, 'main.js');
  writeFileSync(main, MAIN);

  const ours = async () => {
    const path = '/joint-api/execute-skript/single-worker/start';
    const { action } = await call('POST', path, { worker_id: 'any', skript_id: skript.id, input: 1 });
    if (action !== 'end') throw new Error(`the run ended with ${action}`);
  };
  const baseline = () => run(RUN_NODE, [main], { env: bareEnvironment });
  for (let warmUp = 0; warmUp < 10; warmUp++) await ours();

  const paced = await compare(ours, baseline, PAUSE_MS);
  const backToBack = await compare(ours, baseline, 0);
  const ms = (/** @type {number} */ value) => Number(value.toFixed(1));
  const middle = (/** @type {typeof paced} */ times) =>
    Number((median(times.ours) / median(times.baseline)).toFixed(3));
  const slowest = (/** @type {typeof paced} */ times) =>
    Number((percentile(times.ours, 0.99) / percentile(times.baseline, 0.99)).toFixed(3));
  const row = (/** @type {string} */ what, /** @type {typeof paced} */ times) => ({
    what,
    'Trawl, median (ms)': ms(median(times.ours)),
    '99th percentile': ms(percentile(times.ours, 0.99)),
    'node main.js, median (ms)': ms(median(times.baseline)),
    '99th percentile ': ms(percentile(times.baseline, 0.99)),
    ratio: middle(times),
    goal: GOAL,
    'ratio of 99th': slowest(times),
  });
  console.table([row(`${PAUSE_MS} ms pauses`, paced), row('back to back', backToBack)]);
  console.log(
    JSON.stringify({
      bench: 'trivial-run',
      ratio: middle(paced),
      goal: GOAL,
      ratio_back_to_back: middle(backToBack),
      goal_back_to_back: GOAL,
      ratio_back_to_back_99: slowest(backToBack),
      goal_back_to_back_99: GOAL_99,
    }),
  );
} finally {
  await platform.stop();
  remove();
}
