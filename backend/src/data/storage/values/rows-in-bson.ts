import { deserialize } from 'bson';
import { toPlain } from './plain-json.js';

/** Yields BSON documents, one after another in `bytes`, as plain JSON. */
export function* rowsIn(bytes: Uint8Array): Generator<Record<string, unknown>> {
  for (const row of documentsIn(bytes)) yield toPlain(deserialize(row, { bsonRegExp: true }));
}

/** Yields the bytes of each of these documents. */
export function* documentsIn(bytes: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let from = 0; from < bytes.length; from += view.getInt32(from, true)) {
    yield bytes.subarray(from, from + view.getInt32(from, true));
  }
}
