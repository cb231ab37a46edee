// @ts-check
// Imports a CSV file, and compares the rate with a plain script that uses csv-parse and insertMany. Goal: 0.7 of the rate
// for a new collection. An existing collection needs a second step, which has no goal. Neither have tables of PostgreSQL.
//     npm run bench -- import [number of rows, 1,000,000 by default]
import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, openAsBlob, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mongoose from 'mongoose';
import pg from 'pg';
import { startTrawl } from '../servers.mjs';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = 3;
const GOAL = 0.7;
const POLL_MS = 50;

/** @param {number} n */
const row = n =>
  `"Book ${n}, ""the one""",${n + 0.25},${n % 3 > 0},${n % 5},Shop ${n % 50},HR,https://shop.example/books/${n}?page=${n % 100},${new Date(1_767_225_600_000 + n).toISOString()}\n`;

function* rows() {
  yield 'title,price,in_stock,rating,seller,country,url,scraped_at\n';
  for (let n = 0; n < ROWS; n += 1) yield row(n);
}

/** @param {number[]} values */
const median = values => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const folder = mkdtempSync(join(tmpdir(), 'trawl-bench-import-'));
const file = join(folder, 'books.csv');
await pipeline(rows, createWriteStream(file));
const { trawl, postgresUrl, mongodbUri, stop } = await startTrawl();
try {
  const { items } = await trawl.call('GET', '/joint-api/mongo-databases/list');
  const [{ id: db_id }] = items;
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  const found = await client.query('SELECT db_name FROM mongo_databases WHERE id = $1', [db_id]);
  await client.end();
  const database = found.rows[0].db_name;
  const mongo = await mongoose.createConnection(mongodbUri).asPromise();
  const db = mongo.useDb(database);

  const plain = async () => {
    const args = [fileURLToPath(new URL('plain.mjs', import.meta.url)), mongodbUri, database, 'plain', file];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const { documents, ms } = JSON.parse(await text(child.stdout));
    if (documents !== ROWS) throw new Error(`${documents} documents instead of ${ROWS}`);
    return ms;
  };
  const upload = async () => {
    const beganAt = performance.now();
    const response = await fetch(`${trawl.url}/joint-api/imports/upload?file_name=books.csv`, {
      method: 'POST',
      headers: { ...trawl.headers, 'content-type': 'text/csv' },
      body: await openAsBlob(file),
    });
    const { id } = /** @type {any} */ (await response.json());
    return { id, ms: performance.now() - beganAt };
  };
  /**
   * @param {string} id
   * @param {object} target
   */
  const imported = async (id, target) => {
    const beganAt = performance.now();
    await trawl.call('POST', `/joint-api/imports/${id}/start`, target);
    for (;;) {
      const { state, inserted, error_message } = await trawl.call('GET', `/joint-api/imports/${id}`);
      if (state === 'done' && inserted === ROWS) return performance.now() - beganAt;
      if (state !== 'queued' && state !== 'running') throw new Error(`${state}: ${error_message}`);
      await delay(POLL_MS);
    }
  };

  /** @type {Record<string, number[]>} */
  const ms = {
    plain: [],
    upload: [],
    'new collection': [],
    'existing collection': [],
    'new table': [],
    'existing table': [],
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    ms.plain?.push(await plain());
    for (const kind of ['new collection', 'existing collection', 'new table', 'existing table']) {
      const { id, ms: uploadMs } = await upload();
      ms.upload?.push(uploadMs);
      const target = kind.endsWith('table') ? { table: 'imported' } : { db_id, collection: 'imported' };
      ms[kind]?.push(await imported(id, target));
    }
    await trawl.call('POST', '/joint-api/postgres/query', { sql: 'DROP TABLE imported', read_only: false });
    const count = await db.collection('imported').countDocuments();
    if (count !== 2 * ROWS) throw new Error(`${count} documents instead of ${2 * ROWS}`);
    for (const name of ['plain', 'imported']) await db.collection(name).drop();
  }
  await mongo.close();

  const rate = (/** @type {string} */ name) => ROWS / (median(ms[name] ?? []) / 1_000);
  const ratio = (/** @type {string} */ name) => Number((rate(name) / rate('plain')).toFixed(2));
  console.table(Object.keys(ms).map(name => ({ step: name, 'rows/s': Math.round(rate(name)), ratio: ratio(name) })));
  console.log(
    JSON.stringify({
      bench: 'import',
      rows: ROWS,
      ratio: ratio('new collection'),
      goal: GOAL,
      better: 'higher',
      existing_collection: { ratio: ratio('existing collection') },
      new_table: { ratio: ratio('new table') },
      existing_table: { ratio: ratio('existing table') },
    }),
  );
} finally {
  await stop();
  rmSync(folder, { recursive: true, force: true });
}
