import { deserialize, ObjectId } from 'bson';
import { toPlain } from './plain-json.js';

type Fields = Record<string, unknown>;

/** Yields BSON documents, one after another in `bytes`, as plain JSON. */
export function* rowsIn(bytes: Uint8Array): Generator<Fields> {
  for (const row of documentsIn(bytes)) yield toPlain(deserialize(row, { bsonRegExp: true }));
}

/**
 * Yields the same for documents that a run inserts into a collection of the user. An `_id` that the library has made is
 * left out, because it differs between any two runs. An own one is the key of its row.
 */
export function* insertedRowsIn(bytes: Uint8Array): Generator<Fields> {
  for (const document of documentsIn(bytes)) {
    const { _id: id, ...row } = deserialize(document, { bsonRegExp: true });
    const hasOwnId = id !== undefined && !(id instanceof ObjectId);
    yield { ...toPlain(row), ...(hasOwnId && { _key: JSON.stringify(toPlain({ id }).id) }) };
  }
}

/** Yields the bytes of each of these documents. */
export function* documentsIn(bytes: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let from = 0; from < bytes.length; from += view.getInt32(from, true)) {
    yield bytes.subarray(from, from + view.getInt32(from, true));
  }
}
