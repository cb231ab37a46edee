// @ts-check
// The baseline: a script that reads CSV with csv-parse, converts the cells, and stores the rows with insertMany.
//     node plain.mjs MONGODB_URI DATABASE COLLECTION FILE
// Prints the number of documents and of milliseconds as JSON.
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import mongoose from 'mongoose';

const BATCH = 1_000;
const [uri = '', database = '', name = '', file = ''] = process.argv.slice(2);
const connection = await mongoose.createConnection(uri).asPromise();
const collection = connection.getClient().db(database).collection(name);
const startedAt = performance.now();
let documents = 0;
/** @type {object[]} */
let batch = [];
const flush = async () => {
  if (batch.length > 0) await collection.insertMany(batch, { writeConcern: { w: 1, journal: true } });
  documents += batch.length;
  batch = [];
};
for await (const row of createReadStream(file).pipe(parse({ columns: true }))) {
  batch.push({
    title: row.title,
    price: Number(row.price),
    in_stock: row.in_stock === 'true',
    rating: Number(row.rating),
    seller: row.seller,
    country: row.country,
    url: row.url,
    scraped_at: new Date(row.scraped_at),
  });
  if (batch.length === BATCH) await flush();
}
await flush();
console.log(JSON.stringify({ documents, ms: performance.now() - startedAt }));
await connection.close();
