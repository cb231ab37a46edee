// @ts-check
// Time in which a skript stores 100,000 documents of 200 bytes in batches of 500 and reads them back, compared with the
// bare driver in a process of its own. Both wait for MongoDB's journal.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { apiOf, bareEnvironment, makeDataDir, median, RUN_NODE } from '../platform.mjs';
import { startTrawl } from '../servers.mjs';
import { startWorker } from '../worker.mjs';
import { storeAndRead } from './store-and-read.mjs';

const DOCUMENTS = 100_000;
const PER_BATCH = 500;
const ROUNDS = 5;
const GOALS = { insertMs: 1.3, readMs: 1 };
const DRIVER = fileURLToPath(new URL('./driver.mjs', import.meta.url));
const SKRIPT = `const { mongo } = require('@trawl/storage');
${storeAndRead}
module.exports = async () => {
  const rows = mongo.collection('rows');
  await rows.deleteMany({});
  return storeAndRead(rows, ${DOCUMENTS}, ${PER_BATCH});
};`;

/** @typedef {{ insertMs: number, readMs: number }} Times */

const trawl = await startTrawl();
const { dataDir, remove } = makeDataDir();
try {
  const { call: admin } = await apiOf(trawl.trawl.url, trawl.dataDir, 'admin');
  const { key } = await admin('POST', '/joint-api/workers/addnew', { name: 'bench', public: true });
  const worker = await startWorker({ url: trawl.trawl.url, key, dataDir });
  try {
    const { call } = trawl.trawl;
    const { id: skript_id } = await call('POST', '/joint-api/skripts/addnew', { title: 'Rows' });
    await call('POST', '/joint-api/skript-files/addnew', { skript_id, name: 'main.js', content: SKRIPT });
    const start = '/joint-api/execute-skript/single-worker/start?wait_ms=180000';
    /** @returns {Promise<Times>} */
    const ours = async () => {
      const { output, error_stack } = await call('POST', start, { worker_id: 'any', skript_id });
      if (error_stack) throw new Error(error_stack);
      return output;
    };
    /** @returns {Promise<Times>} */
    const bare = async () => {
      const args = [DRIVER, trawl.mongodbUri, String(DOCUMENTS), String(PER_BATCH)];
      const { stdout } = await promisify(execFile)(RUN_NODE, args, { env: bareEnvironment });
      return JSON.parse(stdout);
    };
    /** @type {{ driver: Times, trawl: Times }[]} */
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({ driver: await bare(), trawl: await ours() });
      console.error(JSON.stringify(rounds.at(-1)));
    }
    /** @param {keyof Times} what */
    const row = what => ({
      'driver (ms)': Math.round(median(rounds.map(({ driver }) => driver[what]))),
      'trawl (ms)': Math.round(median(rounds.map(({ trawl }) => trawl[what]))),
      ratio: Number(median(rounds.map(({ driver, trawl }) => trawl[what] / driver[what])).toFixed(2)),
      goal: GOALS[what],
    });
    const table = { insert: row('insertMs'), read: row('readMs') };
    console.table(table);
    const [ratio, ratio_read] = [table.insert.ratio, table.read.ratio];
    console.log(JSON.stringify({ bench: 'storage', ratio, goal: GOALS.insertMs, ratio_read, goal_read: GOALS.readMs }));
  } finally {
    await worker.stop();
  }
} finally {
  await trawl.stop();
  remove();
}
