import { serialize } from 'bson';
import type { mongo } from 'mongoose';

type Identified = { _id: unknown };
type Collection = mongo.Collection;

/**
 * Inserts documents that carry an `_id`; answers how many of them are in.
 * With `resend` an earlier sending may have inserted some already: those that are stored exactly as sent count as inserted.
 */
export async function insertDocuments(
  collection: Collection,
  docs: Identified[],
  ordered: boolean,
  resend: boolean,
  options: mongo.BulkWriteOptions,
): Promise<number> {
  // The earlier sending may still be under way while it is looked for; one more look finds what it did meanwhile.
  for (let look = resend ? 2 : 1; ; look--) {
    const missing = resend ? await notStored(collection, docs) : docs;
    if (missing.length === 0) return docs.length;
    try {
      await collection.insertMany(missing as object[], { ...options, ordered });
      return docs.length;
    } catch (error) {
      if (look === 1 || (error as { code?: unknown }).code !== 11_000) throw error;
    }
  }
}

async function notStored(collection: Collection, docs: Identified[]): Promise<Identified[]> {
  const stored = new Set<string>();
  const ids = docs.map(({ _id }) => _id);
  for await (const raw of collection.find({ _id: { $in: ids } } as object, { raw: true })) {
    stored.add(Buffer.from(raw as unknown as Uint8Array).toString('base64'));
  }
  return docs.filter(doc => !stored.has(storedForm(doc)));
}

/** MongoDB puts `_id` first. */
function storedForm({ _id, ...fields }: Identified): string {
  return Buffer.from(serialize({ _id, ...fields })).toString('base64');
}
