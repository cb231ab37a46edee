import { deserialize } from 'bson';
import { mongo } from 'mongoose';
import { DocumentSequence } from '../mongodb/driver-internals.js';
import { type DocumentBytes, storedForms } from '../values/bson-bytes.js';

const DUPLICATE_KEY = 11_000;

interface Insert {
  collection: mongo.Collection;
  docs: DocumentBytes;
  ordered: boolean;
  maxTimeMS: number;
}

/**
 * Inserts documents that have an `_id` and returns how many are stored.
 * See docs/decisions/0131-documents-travel-as-bson.md.
 * @param resend true if an earlier attempt may have stored some of the documents. Those that are stored exactly as sent
 * count as inserted.
 */
export async function insertDocuments(db: mongo.Db, insert: Insert, resend: boolean): Promise<number> {
  const { docs } = insert;
  const count = docs.positions.length;
  // The earlier attempt may still be inserting. So after a duplicate key on the first try, check again what is stored.
  for (let triesLeft = resend ? 2 : 1; ; triesLeft--) {
    const missing = resend ? await notStored(insert) : [docs.bytes];
    if (missing.length === 0) return count;
    try {
      await insertBytes(db, insert, missing);
      return count;
    } catch (error) {
      if (triesLeft > 1 && (error as { code?: unknown }).code === DUPLICATE_KEY) continue;
      const { storedCount } = error as { storedCount?: number };
      const before = resend ? count - missing.length : 0;
      throw storedCount === undefined ? error : Object.assign(error as Error, { storedCount: before + storedCount });
    }
  }
}

/**
 * @param pieces each have the bytes of one or more documents
 * @throws MongoServerError for the first document that MongoDB refused, with the number of stored ones as `storedCount`;
 * the driver's other errors.
 */
async function insertBytes(db: mongo.Db, { collection, ordered, maxTimeMS }: Insert, pieces: Buffer[]): Promise<void> {
  const documents = new DocumentSequence('documents');
  // The driver reads only the bytes of a sequence.
  for (const piece of pieces) documents.push({}, piece);
  const { collectionName: insert } = collection;
  const reply = await db.command({ insert, documents, ordered, maxTimeMS, writeConcern: { w: 1, j: true } });
  const failure = reply.writeErrors?.[0] ?? reply.writeConcernError;
  if (failure) throw Object.assign(new mongo.MongoServerError(failure), { storedCount: reply.n });
}

async function notStored({ collection, docs, maxTimeMS }: Insert): Promise<Buffer[]> {
  const forms = storedForms(docs);
  const ids = forms.map(form => deserialize(form, { promoteValues: false, bsonRegExp: true })._id);
  const texts = new Set(forms.map(form => form.toString('base64')));
  // Stored documents with the same ids may be much larger than those of the call.
  const isSmall = { $lte: [{ $bsonSize: '$$ROOT' }, Math.max(...forms.map(({ length }) => length))] };
  const found = collection.find({ _id: { $in: ids }, $expr: isSmall } as object, { raw: true, maxTimeMS });
  for await (const raw of found) texts.delete(Buffer.from(raw as unknown as Uint8Array).toString('base64'));
  return forms.filter(form => texts.has(form.toString('base64')));
}
