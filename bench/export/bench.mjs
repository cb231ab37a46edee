// @ts-check
// Exports documents to CSV, and compares the rate with a plain script that uses the driver's cursor and csv-stringify.
// Measures how much memory the backend needs meanwhile. Goals: 0.7 of the rate, and at most 150 MB more memory.
//     npm run bench -- export [number of documents, 1,000,000 by default]
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import mongoose from 'mongoose';
import pg from 'pg';
import { startTrawl } from '../servers.mjs';

const DOCUMENTS = Number(process.argv[2] ?? 1_000_000);
const BATCH = 10_000;
const ROUNDS = 3;
const GOAL = 0.7;
const MEMORY_GOAL_MB = 150;
const SAMPLE_MS = 50;
const COLUMNS = ['_id', 'title', 'price', 'in_stock', 'rating', 'seller', 'country', 'url', 'scraped_at'];

/** @param {number} n */
const book = n => ({
  title: `Book ${n}, "the one"`,
  price: n / 100,
  in_stock: n % 3 > 0,
  rating: n % 5,
  seller: `Shop ${n % 50}`,
  country: 'HR',
  url: `https://shop.example/books/${n}?page=${n % 100}`,
  scraped_at: new Date(1_767_225_600_000 + n),
});

/** @param {number} pid @returns {number} resident memory in MB */
const memoryMb = pid => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** @param {number[]} values */
const median = values => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const { trawl, postgresUrl, mongodbUri, stop } = await startTrawl();
try {
  const { items } = await trawl.call('GET', '/joint-api/mongo-databases/list');
  const [{ id }] = items;
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  const { rows } = await client.query('SELECT db_name FROM mongo_databases WHERE id = $1', [id]);
  await client.end();
  const database = rows[0].db_name;
  const mongo = await mongoose.createConnection(mongodbUri).asPromise();
  const books = mongo.useDb(database).collection('books');
  for (let n = 0; n < DOCUMENTS; n += BATCH) {
    const size = Math.min(BATCH, DOCUMENTS - n);
    await books.insertMany(Array.from({ length: size }, (_, index) => book(n + index)));
  }
  await mongo.close();

  const plain = async () => {
    const args = [fileURLToPath(new URL('plain.mjs', import.meta.url)), mongodbUri, database, 'books', ...COLUMNS];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    return JSON.parse(await text(child.stdout));
  };
  /** @param {string} query */
  const download = async query => {
    const before = memoryMb(trawl.pid);
    /** @type {number[]} */
    const samples = [];
    const sampling = setInterval(() => samples.push(memoryMb(trawl.pid) - before), SAMPLE_MS);
    const startedAt = performance.now();
    const response = await fetch(`${trawl.url}/joint-api/mongo/${id}/books/export?${query}`, {
      headers: trawl.headers,
    });
    let bytes = 0;
    for await (const chunk of /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (response.body))) {
      bytes += chunk.length;
    }
    clearInterval(sampling);
    const half = Math.floor(samples.length / 2);
    return {
      bytes,
      ms: performance.now() - startedAt,
      peakMb: Math.max(...samples),
      halves: [Math.max(...samples.slice(0, half)), Math.max(...samples.slice(half))],
    };
  };

  /** @type {Record<string, number[]>} */
  const ms = { plain: [], given: [], found: [], ndjson: [], xlsx: [], parquet: [] };
  /** @type {Record<string, number>} */
  const peakMb = {};
  /** @type {number[]} */
  let halves = [];
  /** @param {string} name @param {string} query */
  const measure = async (name, query) => {
    const result = await download(query);
    ms[name]?.push(result.ms);
    peakMb[name] = Math.max(peakMb[name] ?? 0, result.peakMb);
    return result;
  };
  const given = `fields=${COLUMNS.join(',')}`;
  await download(`${given}&filter=${encodeURIComponent('{"rating":9}')}`);
  for (let round = 0; round < ROUNDS; round += 1) {
    const baseline = await plain();
    ms.plain?.push(baseline.ms);
    const result = await measure('given', given);
    halves = result.halves;
    if (result.bytes !== baseline.bytes) throw new Error(`${result.bytes} bytes instead of ${baseline.bytes}`);
  }
  await measure('found', '');
  for (const format of ['ndjson', 'xlsx', 'parquet']) await measure(format, `format=${format}`);

  const rate = (/** @type {string} */ name) => Math.round(DOCUMENTS / (median(ms[name] ?? []) / 1_000));
  console.table(
    Object.keys(ms).map(name => ({
      export: name,
      'documents/s': rate(name),
      ratio: Number((rate(name) / rate('plain')).toFixed(2)),
      'more memory (MB)': Math.round(peakMb[name] ?? 0),
    })),
  );
  console.log(
    JSON.stringify({
      bench: 'export',
      documents: DOCUMENTS,
      ratio: Number((rate('given') / rate('plain')).toFixed(2)),
      goal: GOAL,
      better: 'higher',
      memory_mb: Math.round(peakMb.given ?? 0),
      memory_goal_mb: MEMORY_GOAL_MB,
      memory_mb_by_half: halves.map(Math.round),
    }),
  );
} finally {
  await stop();
}
