// Inserts, updates and deletes documents in the local files of TRAWL_STORAGE_DIR until the process is killed, and prints
// the number of each document when it is stored.
import { mongo } from '../dist/index.mjs';

const books = mongo.collection('books');
await books.createIndex({ n: 1 }, { unique: true });
for (let n = 0; ; n++) {
  await books.insertOne({ _id: n, n, text: 'ä'.repeat(n % 500) });
  await books.updateOne({ n }, { $set: { updated: true } });
  if (n % 2 === 1) await books.deleteOne({ n: n - 1 });
  process.stdout.write(`${n}\n`);
}
