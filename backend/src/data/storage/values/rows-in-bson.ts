import { deserialize } from 'bson';
import { toPlain } from './plain-json.js';

/** Yields BSON documents, one after another in `bytes`, as plain JSON. */
export function* rowsIn(bytes: Uint8Array): Generator<Record<string, unknown>> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let from = 0; from < bytes.length; from += view.getInt32(from, true)) {
    const row = bytes.subarray(from, from + view.getInt32(from, true));
    yield toPlain(deserialize(row, { bsonRegExp: true }));
  }
}
