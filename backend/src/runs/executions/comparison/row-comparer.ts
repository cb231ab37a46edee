/** Compares the rows of two runs. Runs in a thread of `RunComparisonService`, so it may import no services. */
import { constants, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { compareRows, type RowComparison } from '@trawl/contracts';
import { deserialize } from 'bson';
import { toPlain } from '../../../data/storage/values/plain-json.js';

// On Linux, each thread has a priority of its own. Without this, the main thread would wait for these threads.
if (!isMainThread && process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

/** BSON documents, one after another. */
export interface ComparedBytes {
  was: Uint8Array;
  now: Uint8Array;
}

export default ({ was, now }: ComparedBytes): RowComparison => compareRows([...rowsIn(was)], [...rowsIn(now)]);

function* rowsIn(bytes: Uint8Array): Generator<Record<string, unknown>> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let from = 0; from < bytes.length; from += view.getInt32(from, true)) {
    const row = bytes.subarray(from, from + view.getInt32(from, true));
    yield toPlain(deserialize(row, { bsonRegExp: true }));
  }
}
