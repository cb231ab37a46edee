// @ts-check
// The baseline: a script that writes a collection as CSV with the driver's cursor and csv-stringify.
//     node plain.mjs MONGODB_URI DATABASE COLLECTION COLUMN…
// Prints the number of bytes and of milliseconds as JSON.
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import mongoose from 'mongoose';

const [uri = '', database = '', collection = '', ...columns] = process.argv.slice(2);
const connection = await mongoose.createConnection(uri).asPromise();
const cursor = connection.getClient().db(database).collection(collection).find();
let bytes = 0;
const sink = new Writable({
  write(chunk, _encoding, done) {
    bytes += chunk.length;
    done();
  },
});
const startedAt = performance.now();
await pipeline(
  cursor.stream(),
  stringify({
    header: true,
    columns,
    cast: { boolean: String, date: value => value.toISOString(), object: value => String(value) },
  }),
  sink,
);
console.log(JSON.stringify({ bytes, ms: performance.now() - startedAt }));
await connection.close();
