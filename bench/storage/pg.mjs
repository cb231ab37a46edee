// @ts-check
// Stores and reads rows with `pg` and `pg-cursor`, and prints the times: `{"insertMs":…,"readMs":…}`.
import pg from 'pg';
import Cursor from 'pg-cursor';
import { storeAndReadTable } from './table-rows.mjs';

const ROWS_AT_ONCE = 1_000;
const NAMES = 'title, price, in_stock, pages, tags, url, scraped_at';
const [url = '', rows, perBatch] = process.argv.slice(2);
const client = new pg.Client(url);
await client.connect();

/** @param {string} text */
async function* cursor(text) {
  const open = client.query(new Cursor(text));
  for (;;) {
    const page = await open.read(ROWS_AT_ONCE);
    if (page.length === 0) return;
    yield* page;
  }
}

const times = await storeAndReadTable(
  {
    query: text => client.query(text),
    // The statement of the library for skripts.
    insertMany: batch =>
      client.query(
        `INSERT INTO bench_rows (${NAMES}) SELECT ${NAMES} FROM json_populate_recordset(NULL::bench_rows, $1::json)`,
        [JSON.stringify(batch)],
      ),
    cursor,
  },
  Number(rows),
  Number(perBatch),
);
await client.end();
console.log(JSON.stringify(times));
