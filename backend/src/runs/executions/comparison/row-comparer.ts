/** Compares the rows of two runs. Runs in a thread of `RunComparisonService`, so it may import no services. */
import { constants, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { compareRows, type RowComparison, type RunTimes } from '@trawl/contracts';
import { insertedRowsIn, rowsIn } from '../../../data/storage/values/rows-in-bson.js';

// On Linux, each thread has a priority of its own. Without this, the main thread would wait for these threads.
if (!isMainThread && process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

/** BSON documents, one after another. */
export interface ComparedBytes {
  was: Uint8Array;
  now: Uint8Array;
  /** Whether they are documents of `mongo` or rows of `postgres`, not of `dataset.push`. */
  areInserted: boolean;
  times?: RunTimes;
}

export default function compareBytes({ was, now, areInserted, times }: ComparedBytes): RowComparison {
  const read = areInserted ? insertedRowsIn : rowsIn;
  return compareRows([...read(was)], [...read(now)], times);
}
