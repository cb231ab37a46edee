// @ts-check
// Time until a second `npm start` is ready. Goal: 5 s.
import { freePort, makeDataDir, median, startPlatform } from '../platform.mjs';

const LIMIT_MS = 5_000;
const STARTS = 5;

const { dataDir, remove } = makeDataDir();
// The same port at each start, as for a user: the website contains it.
const port = await freePort();
try {
  await (await startPlatform(dataDir, port)).stop();
  const times = [];
  for (let start = 0; start < STARTS; start++) {
    const platform = await startPlatform(dataDir, port);
    times.push(platform.readyMs);
    await platform.stop();
  }
  console.table(times.map((ms, index) => ({ start: index + 2, 'ready after (ms)': Math.round(ms) })));
  const ratio = Number((median(times) / LIMIT_MS).toFixed(3));
  console.log(JSON.stringify({ bench: 'second-start', ratio, goal: 1 }));
} finally {
  remove();
}
