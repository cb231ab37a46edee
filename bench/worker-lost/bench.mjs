// @ts-check
// Measures how long it takes until a run ends with `worker_lost` after its worker was killed and not restarted. Goal:
// 15 s.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { apiOf, makeDataDir, median, startPlatform } from '../platform.mjs';

const LIMIT_MS = 15_000;
const KILLS = 3;
const LOOK_MS = 50;
const WORKER = fileURLToPath(new URL('../../worker/dist/main.js', import.meta.url));
const MAIN = 'module.exports = () => new Promise(resolve => setTimeout(resolve, 120_000));\n';

const { dataDir, remove } = makeDataDir();
const platform = await startPlatform(dataDir);
try {
  const { call: admin } = await apiOf(platform.url, dataDir, 'admin');
  const { call } = await apiOf(platform.url, dataDir, 'developer');
  const skript = await call('POST', '/joint-api/skripts/addnew', { title: 'Waits' });
  await call('POST', '/joint-api/skript-files/addnew', { skript_id: skript.id, name: 'main.js', content: MAIN });
  const times = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const worker = await admin('POST', '/joint-api/workers/addnew', { name: `killed-${kill}`, public: true });
    const child = spawn(process.execPath, [WORKER], {
      env: {
        PATH: process.env.PATH,
        TRAWL_URL: platform.url,
        TRAWL_WORKER_KEY: worker.key,
        TRAWL_DATA_DIR: join(dataDir, worker.name),
        TRAWL_LOG_LEVEL: 'silent',
        // With this setting the worker starts no supervisor, so the signal below reaches the worker itself.
        TRAWL_SUPERVISED: '1',
      },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const start = '/joint-api/execute-skript/single-worker/start?wait_ms=0';
    const { id } = await call('POST', start, { worker_id: worker.id, skript_id: skript.id });
    const run = () => call('GET', `/joint-api/skript-execution/${id}`);
    while ((await run()).waiting_for) await pause(LOOK_MS);
    // The pause has another length for each kill, so that the worker is not always killed at the same time after a
    // heartbeat.
    await pause(1_000 + kill * 900);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    const killedAt = performance.now();
    while ((await run()).action === 'start') await pause(LOOK_MS);
    if ((await run()).error_code !== 'worker_lost') throw new Error('the run did not end with worker_lost');
    times.push(performance.now() - killedAt);
  }
  console.table(times.map((ms, index) => ({ kill: index + 1, 'worker_lost after (ms)': Math.round(ms) })));
  console.log(JSON.stringify({ bench: 'worker-lost', ratio: Number((median(times) / LIMIT_MS).toFixed(3)), goal: 1 }));
} finally {
  await platform.stop();
  remove();
}
