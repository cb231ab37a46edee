// @ts-check

/**
 * A collection of the driver or of the library for skripts.
 * @typedef {object} Rows
 * @property {(docs: object[]) => Promise<unknown>} insertMany
 * @property {() => { toArray(): Promise<unknown[]> }} find
 */

/**
 * Stores documents of 200 bytes in batches, then reads all of them. The bench puts the text of this function into a
 * skript, so it uses nothing else of this module.
 * @param {Rows} rows is empty
 * @param {number} documents
 * @param {number} perBatch
 */
export async function storeAndRead(rows, documents, perBatch) {
  const batches = Array.from({ length: documents / perBatch }, (_, batch) =>
    Array.from({ length: perBatch }, (_, n) => ({
      title: `The book number ${batch}-${n}`,
      price: n + 0.5,
      in_stock: n % 3 > 0,
      pages: 100 + n,
      tags: ['scraped', 'books'],
      url: `https://shop.example/books/${batch}/${n}`,
      scraped_at: new Date(),
    })),
  );
  const insertBegan = performance.now();
  for (const docs of batches) await rows.insertMany(docs);
  const insertMs = performance.now() - insertBegan;
  batches.length = 0;
  const readBegan = performance.now();
  const found = await rows.find().toArray();
  const readMs = performance.now() - readBegan;
  if (found.length !== documents) throw new Error(`${found.length} of ${documents} documents were found.`);
  return { insertMs, readMs };
}
