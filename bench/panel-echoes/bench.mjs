// @ts-check
// Longest frame of the panel while a run sends 5,000 echoes a second. Goal: 50 ms. Baseline: the same page without echoes.
import { openPanel } from '../panel.mjs';
import { makeDataDir, percentile, startPlatform } from '../platform.mjs';

const SECONDS = 10;
const GOAL_MS = 50;
const MAIN = `const { echo } = require('@trawl/echo');
module.exports = async () => {
  for (let tick = 0; tick < ${(SECONDS + 5) * 50}; tick++) {
    for (let n = 0; n < 100; n++) echo.log('echo ' + n + ' of tick ' + tick);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
};
`;

const { dataDir, remove } = makeDataDir();
const platform = await startPlatform(dataDir);
const panel = await openPanel(platform.url, dataDir);

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
  const still = await frames();
  await run?.click();
  await page.waitForSelector('.echo');
  const busy = await frames();
  const row = (/** @type {string} */ name, /** @type {number[]} */ of) => ({
    frames: name,
    count: of.length,
    'longest (ms)': Math.round(Math.max(...of)),
    '99th percentile (ms)': Math.round(percentile(of, 0.99)),
    'over 50 ms': of.filter(ms => ms > GOAL_MS).length,
  });
  console.table([row('without echoes', still), row('at 5,000 echoes a second', busy)]);
  console.log(
    JSON.stringify({ bench: 'panel-echoes', ratio: Number((Math.max(...busy) / GOAL_MS).toFixed(3)), goal: 1 }),
  );
} finally {
  await panel.close();
  await platform.stop();
  remove();
}
