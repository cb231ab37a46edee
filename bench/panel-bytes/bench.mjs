// @ts-check
// Compressed bytes of JavaScript and CSS that a first visit of the panel's dashboard transfers. Goal: at most 200 kB and 40 kB.
import { openPanel } from '../panel.mjs';
import { makeDataDir, startPlatform } from '../platform.mjs';

/** @type {Record<string, number>} */
const GOALS = { js: 200_000, css: 40_000 };

const { dataDir, remove } = makeDataDir();
const platform = await startPlatform(dataDir);
const panel = await openPanel(platform.url, dataDir);
try {
  /** @type {Record<string, { files: number, bytes: number }>} */
  const sums = { js: { files: 0, bytes: 0 }, css: { files: 0, bytes: 0 } };
  panel.page.on('response', response => {
    const sum = sums[/\/panel\/assets\/.*\.(js|css)$/.exec(response.url())?.[1] ?? ''];
    if (!sum) return;
    sum.files += 1;
    sum.bytes += Number(response.headers()['content-length']);
  });
  await panel.open('dashboard');
  await panel.page.waitForSelector('.figures');
  await panel.page.waitForNetworkIdle({ idleTime: 2_000 });
  const rows = Object.entries(sums).map(([kind, { files, bytes }]) => ({ kind, files, bytes, goal: GOALS[kind] ?? 0 }));
  console.table(rows);
  const ratio = Number(Math.max(...rows.map(({ bytes, goal }) => bytes / goal)).toFixed(3));
  console.log(JSON.stringify({ bench: 'panel-bytes', ratio, goal: 1 }));
} finally {
  await panel.close();
  await platform.stop();
  remove();
}
