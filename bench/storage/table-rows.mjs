// @ts-check

/**
 * PostgreSQL by the library `pg` or by the library for skripts.
 * @typedef {object} Table
 * @property {(text: string) => Promise<unknown>} query
 * @property {(rows: object[]) => Promise<unknown>} insertMany into the table `bench_rows`
 * @property {(text: string) => AsyncIterable<{ pages: number }>} cursor reads 1,000 rows at a time
 */

/**
 * Stores rows of 200 bytes in batches, then reads all of them with a cursor. The bench puts the text of this function
 * into a skript, so it uses nothing else of this module.
 * @param {Table} table
 * @param {number} rows
 * @param {number} perBatch
 */
export async function storeAndReadTable(table, rows, perBatch) {
  await table.query('DROP TABLE IF EXISTS bench_rows');
  await table.query(
    'CREATE TABLE bench_rows (title text, price double precision, in_stock boolean, pages int, tags text, url text, scraped_at timestamptz)',
  );
  const batches = Array.from({ length: rows / perBatch }, (_, batch) =>
    Array.from({ length: perBatch }, (_, n) => ({
      title: `The book number ${batch}-${n}`,
      price: n + 0.5,
      in_stock: n % 3 > 0,
      pages: 100 + n,
      tags: 'scraped, books',
      url: `https://shop.example/books/${batch}/${n}`,
      scraped_at: new Date(),
    })),
  );
  const insertBegan = performance.now();
  for (const batch of batches) await table.insertMany(batch);
  const insertMs = performance.now() - insertBegan;
  batches.length = 0;
  const readBegan = performance.now();
  let found = 0;
  for await (const { pages } of table.cursor('SELECT * FROM bench_rows')) found += pages > 0 ? 1 : 0;
  const readMs = performance.now() - readBegan;
  if (found !== rows) throw new Error(`${found} of ${rows} rows were found.`);
  return { insertMs, readMs };
}
