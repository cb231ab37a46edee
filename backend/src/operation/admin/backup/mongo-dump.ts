import { Readable } from 'node:stream';
import { EJSON } from 'bson';
import type { mongo } from 'mongoose';
import type { ArchiveWriter } from './archive-writer.js';
import type { DumpedCollection } from './manifest.js';

const OWN = /^system\./;
const IS_MISSING = 26;

/** Copies the collections of these databases into the archive, each as a sequence of BSON documents. */
export async function dumpMongo(
  client: mongo.MongoClient,
  databases: string[],
  archive: ArchiveWriter,
  onCollection: (name: string) => void,
): Promise<DumpedCollection[]> {
  const dumped: DumpedCollection[] = [];
  for (const database of databases) {
    const db = client.db(database);
    const found = (await db.listCollections({}, { nameOnly: false }).toArray()) as mongo.CollectionInfo[];
    for (const { name, type = 'collection', options = {} } of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (OWN.test(name)) continue;
      onCollection(`${database}.${name}`);
      const { uuid, ...kept } = options as Record<string, unknown>;
      const common = { database, name, type: type as DumpedCollection['type'], options: plain(kept) };
      if (type === 'view') {
        dumped.push({ ...common, indexes: [], documents: 0, entry: null });
        continue;
      }
      const indexes = await indexesOf(db.collection(name));
      const entry = `mongodb/${dumped.length + 1}.bson`;
      let documents = 0;
      const raw = async function* () {
        for await (const document of db.collection(name).find({}, { raw: true })) {
          documents += 1;
          yield document as unknown as Buffer;
        }
      };
      await archive.add(entry, Readable.from(raw(), { objectMode: false }));
      dumped.push({ ...common, indexes, documents, entry });
    }
  }
  return dumped;
}

async function indexesOf(collection: mongo.Collection): Promise<Record<string, unknown>[]> {
  try {
    const indexes = await collection.listIndexes().toArray();
    // MongoDB creates the index on `_id` itself.
    return indexes.filter(({ name }) => name !== '_id_').map(({ v, ns, ...index }) => plain(index));
  } catch (error) {
    // A user has just dropped the collection.
    if ((error as mongo.MongoServerError).code === IS_MISSING) return [];
    throw error;
  }
}

const plain = (value: object): Record<string, unknown> =>
  EJSON.serialize(value, { relaxed: false }) as Record<string, unknown>;
