import type { Readable } from 'node:stream';
import { deserialize, EJSON } from 'bson';
import type { mongo } from 'mongoose';
import { AdminError } from '../admin-error.js';
import type { ArchiveReader } from './archive-reader.js';
import type { DumpedCollection } from './manifest.js';

const BATCH_BYTES = 8 * 1024 * 1024;
const BATCH_DOCUMENTS = 1_000;
const LENGTH_BYTES = 4;

/** Creates the collections of a backup, with their indexes and documents. */
export async function restoreMongo(
  client: mongo.MongoClient,
  archive: ArchiveReader,
  onCollection: (name: string) => void,
): Promise<void> {
  const { collections } = archive.manifest.mongodb;
  // A view can only be created after the collection that it reads.
  const inOrder = [...collections].sort((a, b) => Number(a.type === 'view') - Number(b.type === 'view'));
  for (const collection of inOrder) {
    onCollection(`${collection.database}.${collection.name}`);
    const db = client.db(collection.database);
    await db.createCollection(collection.name, EJSON.deserialize(collection.options) as mongo.CreateCollectionOptions);
    if (collection.entry === null) continue;
    await restoreDocuments(db.collection(collection.name), await archive.read(collection.entry), collection);
    const indexes = collection.indexes.map(index => EJSON.deserialize(index));
    if (indexes.length > 0) await db.command({ createIndexes: collection.name, indexes });
  }
}

async function restoreDocuments(
  target: mongo.Collection,
  content: Readable,
  { database, name, documents }: DumpedCollection,
): Promise<void> {
  let count = 0;
  for await (const batch of batchesOf(content)) {
    await target.insertMany(batch, { bypassDocumentValidation: true });
    count += batch.length;
  }
  if (count !== documents) {
    throw new AdminError(
      `${database}.${name} has ${count} documents after the restore, and ${documents} in the backup.`,
    );
  }
}

/** Keeps the types of numbers: `promoteValues` would turn a 64-bit integer into a double. */
const AS_STORED = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };

async function* batchesOf(content: Readable): AsyncGenerator<mongo.Document[]> {
  let batch: mongo.Document[] = [];
  let bytes = 0;
  for await (const document of documentsOf(content)) {
    batch.push(deserialize(document, AS_STORED));
    bytes += document.length;
    if (bytes < BATCH_BYTES && batch.length < BATCH_DOCUMENTS) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Splits a sequence of BSON documents. Each begins with its length. */
async function* documentsOf(content: Readable): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of content) {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer);
    while (rest.length >= LENGTH_BYTES) {
      const length = rest.readInt32LE(0);
      if (rest.length < length) break;
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
  }
  if (rest.length > 0) throw new AdminError('A collection of the backup ends within a document.');
}
