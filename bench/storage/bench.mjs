// @ts-check
// Time in which a skript stores 100,000 documents of 200 bytes in batches of 500 and reads them back, compared with the
// bare driver in a process of its own. Both wait for MongoDB's journal. Then the same with rows of PostgreSQL and `pg`.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bareEnvironment, median, RUN_NODE } from '../platform.mjs';
import { addWorker, startTrawl } from '../servers.mjs';
import { storeAndRead } from './store-and-read.mjs';
import { storeAndReadTable } from './table-rows.mjs';

const COUNT = 100_000;
const PER_BATCH = 500;
const ROUNDS = 5;
const GOALS = {
  mongo: { insertMs: 1.3, readMs: 1 },
  postgres: { insertMs: 1.3, readMs: 1.5 },
};
const SKRIPTS = {
  mongo: `const { mongo } = require('@trawl/storage');
${storeAndRead}
module.exports = async () => {
  const rows = mongo.collection('rows');
  await rows.deleteMany({});
  return storeAndRead(rows, ${COUNT}, ${PER_BATCH});
};`,
  postgres: `const { postgres } = require('@trawl/storage');
${storeAndReadTable}
const table = { ...postgres, insertMany: rows => postgres.insertMany('bench_rows', rows) };
module.exports = () => storeAndReadTable(table, ${COUNT}, ${PER_BATCH});`,
};

/** @typedef {{ insertMs: number, readMs: number }} Times */

const trawl = await startTrawl();
try {
  await addWorker(trawl);
  const { call } = trawl.trawl;
  const start = '/joint-api/execute-skript/single-worker/start?wait_ms=180000';
  /** @param {string} content @returns {Promise<() => Promise<Times>>} */
  const skript = async content => {
    const { id: skript_id } = await call('POST', '/joint-api/skripts/addnew', { title: content.slice(0, 40) });
    await call('POST', '/joint-api/skript-files/addnew', { skript_id, name: 'main.js', content });
    return async () => {
      const { output, error_stack } = await call('POST', start, { worker_id: 'any', skript_id });
      if (error_stack) throw new Error(error_stack);
      return output;
    };
  };
  /** @param {string} file @param {string} url @returns {Promise<Times>} */
  const bare = async (file, url) => {
    const args = [fileURLToPath(new URL(file, import.meta.url)), url, String(COUNT), String(PER_BATCH)];
    const { stdout } = await promisify(execFile)(RUN_NODE, args, { env: bareEnvironment });
    return JSON.parse(stdout);
  };
  /** @param {'mongo' | 'postgres'} store @param {() => Promise<Times>} ofDriver */
  const measure = async (store, ofDriver) => {
    const ours = await skript(SKRIPTS[store]);
    /** @type {{ driver: Times, trawl: Times }[]} */
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({ driver: await ofDriver(), trawl: await ours() });
      console.error(store, JSON.stringify(rounds.at(-1)));
    }
    /** @param {keyof Times} what */
    const row = what => ({
      'driver (ms)': Math.round(median(rounds.map(({ driver }) => driver[what]))),
      'trawl (ms)': Math.round(median(rounds.map(({ trawl }) => trawl[what]))),
      ratio: Number(median(rounds.map(({ driver, trawl }) => trawl[what] / driver[what])).toFixed(2)),
      goal: GOALS[store][what],
    });
    return { insert: row('insertMs'), read: row('readMs') };
  };
  const mongo = await measure('mongo', () => bare('./driver.mjs', trawl.mongodbUri));
  const postgres = await measure('postgres', () => bare('./pg.mjs', trawl.postgresUrl));
  const table = {
    insert: mongo.insert,
    read: mongo.read,
    'postgres.insertMany': postgres.insert,
    'postgres.cursor': postgres.read,
  };
  console.table(table);
  console.log(
    JSON.stringify({
      bench: 'storage',
      ratio: mongo.insert.ratio,
      goal: mongo.insert.goal,
      ratio_read: mongo.read.ratio,
      goal_read: mongo.read.goal,
      ratio_insertMany: postgres.insert.ratio,
      goal_insertMany: postgres.insert.goal,
      ratio_cursor: postgres.read.ratio,
      goal_cursor: postgres.read.goal,
    }),
  );
} finally {
  await trawl.stop();
}
