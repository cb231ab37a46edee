// @ts-check
// Stores and reads the documents with the bare driver, and prints the times: `{"insertMs":…,"readMs":…}`.
import mongoose from 'mongoose';
import { storeAndRead } from './store-and-read.mjs';

const [uri = '', documents, perBatch] = process.argv.slice(2);
const client = new mongoose.mongo.MongoClient(uri);
await client.connect();
const rows = client.db('bench').collection('rows');
await rows.drop();
// Trawl waits for MongoDB's journal, so the driver does too.
const options = { writeConcern: { w: 1, journal: true } };
const times = await storeAndRead(
  { insertMany: docs => rows.insertMany(docs, options), find: () => rows.find() },
  Number(documents),
  Number(perBatch),
);
await client.close();
console.log(JSON.stringify(times));
