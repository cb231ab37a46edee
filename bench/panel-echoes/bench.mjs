// @ts-check
// Longest frame of the panel while a run sends 5,000 echoes a second, with a fourth of the processor. Goal: 50 ms. Baseline: the same page without echoes.
// Chromium slows down the page's own thread only, not web workers. Browser, platform and run share the machine's cores.
import { openPanel } from '../panel.mjs';
import { makeDataDir, percentile, startPlatform } from '../platform.mjs';

const SECONDS = 10;
const GOAL_MS = 50;
const SLOWDOWN = 4;
const MAIN = `const { echo } = require('@trawl/echo');
module.exports = async () => {
  const began = Date.now();
  // By the clock, because timers are late on a busy machine.
  for (let sent = 0; sent < ${(SECONDS + 5) * 5_000}; ) {
    for (const due = (Date.now() - began) * 5; sent < due; sent++) echo.log('echo ' + sent);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
};
`;

const { dataDir, remove } = makeDataDir();
const platform = await startPlatform(dataDir);
const panel = await openPanel(platform.url, dataDir);

// Counts the echoes that the page gets from the web worker, and those that are missing or out of order.
await panel.page.evaluateOnNewDocument(() => {
  const seen = { lastSeq: 0, missing: new Set(), disordered: 0 };
  Object.assign(globalThis, { seen });
  globalThis.Worker = class extends Worker {
    /** @param {ConstructorParameters<typeof Worker>} given */
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data }) => {
        const keys = data.view?.content.keys ?? [];
        // Only the new keys, because a walk through all 10,000 takes 10 ms of a slowed down frame.
        const first =
          seen.missing.size > 0
            ? 0
            : keys.findLastIndex((/** @type {number} */ key) => Math.abs(key) <= seen.lastSeq) + 1;
        let before = 0;
        for (const key of keys.subarray?.(first) ?? []) {
          if (Math.abs(key) <= before) seen.disordered += 1;
          before = Math.abs(key);
          if (key < 0) continue;
          for (let seq = seen.lastSeq + 1; seq < key; seq++) seen.missing.add(seq);
          if (seen.missing.size > 0) seen.missing.delete(key);
          seen.lastSeq = Math.max(seen.lastSeq, key);
        }
      });
    }
  };
});

/** @returns {Promise<{ lastSeq: number, lost: number, disordered: number }>} */
const seen = () =>
  panel.page.evaluate(() => {
    const { lastSeq, missing, disordered } = /** @type {any} */ (globalThis).seen;
    return { lastSeq, lost: missing.size, disordered };
  });

/** Returns the lengths of the frames of some seconds, in ms. */
const frames = () =>
  panel.page.evaluate(
    ms =>
      /** @type {Promise<number[]>} */ (
        new Promise(resolve => {
          /** @type {number[]} */
          const lengths = [];
          const began = performance.now();
          let last = began;
          const next = (/** @type {number} */ now) => {
            lengths.push(now - last);
            last = now;
            if (now - began < ms) requestAnimationFrame(next);
            else resolve(lengths.slice(1));
          };
          requestAnimationFrame(next);
        })
      ),
    SECONDS * 1_000,
  );

try {
  const { call, page } = panel;
  const skript = await call('POST', '/joint-api/skripts/addnew', { title: 'Many echoes' });
  await call('POST', '/joint-api/skript-files/addnew', { skript_id: skript.id, name: 'main.js', content: MAIN });
  await panel.open(`execute-skript?skript_id=${skript.id}`);
  const run = await page.waitForSelector('::-p-aria(Run[role="button"])');
  await page.emulateCPUThrottling(SLOWDOWN);
  const still = await frames();
  await run?.click();
  await page.waitForSelector('.echo');
  const before = await seen();
  const busy = await frames();
  const after = await seen();
  await page.waitForSelector('::-p-text(The run has ended: completed.)', { timeout: 120_000 });
  const [{ last_seq: sent }] = (await call('GET', '/joint-api/skript-execution/list')).items;
  await page.waitForFunction(last => /** @type {any} */ (globalThis).seen.lastSeq >= last, {}, sent);
  const { lost, disordered } = await seen();
  const row = (/** @type {string} */ name, /** @type {number[]} */ of) => ({
    frames: name,
    count: of.length,
    'longest (ms)': Math.round(Math.max(...of)),
    '99th percentile (ms)': Math.round(percentile(of, 0.99)),
    'over 50 ms': of.filter(ms => ms > GOAL_MS).length,
  });
  console.table([row('without echoes', still), row('at 5,000 echoes a second', busy)]);
  console.table([
    {
      sent,
      'shown a second': Math.round((after.lastSeq - before.lastSeq) / SECONDS),
      lost,
      'out of order': disordered,
    },
  ]);
  if (lost + disordered > 0) throw new Error(`${lost} echoes were lost and ${disordered} were out of order.`);
  console.log(
    JSON.stringify({ bench: 'panel-echoes', ratio: Number((Math.max(...busy) / GOAL_MS).toFixed(3)), goal: 1 }),
  );
} finally {
  await panel.close();
  await platform.stop();
  remove();
}
