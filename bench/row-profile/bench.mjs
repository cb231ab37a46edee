// @ts-check
// Time in which a skript stores rows with `dataset.push`, with the profile of its rows, compared with the same time less what the
// profile takes of it. The backend measures that part itself, because two runs differ by more than it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDataDir, median } from '../platform.mjs';
import { addWorker, startTrawl } from '../servers.mjs';

const PER_PUSH = 500;
const ROUNDS = 10;
const GOAL = 1.05;
/** The profile reads each of the first 1,000 rows, so they cost the most. A product has 10 fields; with its properties, 100. */
const CASES = [
  { rows: 1_000, fields: 10 },
  { rows: 1_000, fields: 100 },
  { rows: 20_000, fields: 10 },
];

/** @param {{ rows: number, fields: number }} size */
const skript = ({ rows, fields }) => `const { dataset } = require('@trawl/storage');
module.exports = async () => {
  const beganAt = performance.now();
  for (let from = 0; from < ${rows}; from += ${PER_PUSH}) {
    await dataset.push(Array.from({ length: ${PER_PUSH} }, (_, index) => {
      const n = from + index;
      const row = { sku: 'sku-' + n, title: 'Product number ' + n, price: n / 7, in_stock: n % 3, seen: new Date(n), tags: ['a', 'b'] };
      for (let field = 0; field < ${fields} - 6; field++) row['property_' + field] = 'value ' + (n * field) % 97;
      return row;
    }));
  }
  return performance.now() - beganAt;
};`;

const { dataDir, remove } = makeDataDir();
const file = join(dataDir, 'profile-ms');
const timed = fileURLToPath(new URL('./timed.mjs', import.meta.url));
const trawl = await startTrawl({ env: { NODE_OPTIONS: `--import=${timed}`, BENCH_PROFILE_FILE: file } });
try {
  await addWorker(trawl);
  const { call } = trawl.trawl;
  /** @param {string} title @param {{ rows: number, fields: number }} size */
  const measure = async (title, size) => {
    const { id: skript_id } = await call('POST', '/joint-api/skripts/addnew', { title });
    await call('POST', '/joint-api/skript-files/addnew', { skript_id, name: 'main.js', content: skript(size) });
    const rounds = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const start = '/joint-api/execute-skript/single-worker/start?wait_ms=180000';
      const { output, error_stack } = await call('POST', start, { worker_id: 'any', skript_id });
      if (error_stack) throw new Error(error_stack);
      const result = { pushMs: Number(output), profileMs: Number(readFileSync(file, 'utf8')) };
      console.error(title, JSON.stringify(result));
      // The first round is not counted: the code is cold.
      if (round > 0) rounds.push(result);
    }
    return {
      'dataset.push (ms)': Math.round(median(rounds.map(({ pushMs }) => pushMs))),
      'of it the profile (ms)': Number(median(rounds.map(({ profileMs }) => profileMs)).toFixed(1)),
      ratio: Number(median(rounds.map(({ pushMs, profileMs }) => pushMs / (pushMs - profileMs))).toFixed(3)),
      goal: GOAL,
    };
  };
  /** @type {Record<string, Awaited<ReturnType<typeof measure>>>} */
  const table = {};
  for (const size of CASES) {
    const title = `${size.rows} rows of ${size.fields} fields`;
    table[title] = await measure(title, size);
  }
  console.table(table);
  const ratio = Math.max(...Object.values(table).map(row => row.ratio));
  console.log(JSON.stringify({ bench: 'row-profile', ratio, goal: GOAL }));
} finally {
  await trawl.stop();
  remove();
}
