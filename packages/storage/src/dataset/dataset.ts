import type { Document } from '../protocol/document.js';
import { thisRun } from '../this-run.js';
import { RowQueue } from './row-queue.js';

/** Name of the global function that the runner calls before a run ends: it waits until all rows are stored. */
const FLUSH = Symbol.for('trawl.flushRows');

export interface Dataset {
  /** Name of the collection with the rows of all runs of the skript: `dataset_<id of the skript>`. */
  readonly collectionName: string;
  /**
   * Adds rows to what the run has found. They are stored with `_run`, the id of the run, and `_at`, the time of the
   * call. Resolves when they are stored. Without `await`, rows
   * travel together, and the run ends only when they are stored; if that fails, the run fails.
   *
   * @throws TypeError if a row is not an object, or has a field `_id`, `_run` or `_at`; StorageError
   */
  push(rows: Document | Document[]): Promise<void>;
}

let queue: RowQueue | undefined;

/** The rows of this run. */
export const dataset: Dataset = {
  get collectionName() {
    return `dataset_${thisRun().skriptId}`;
  },

  async push(rows) {
    const { runId } = thisRun();
    // A warm process serves one run after another.
    if (queue?.runId !== runId) queue = new RowQueue(runId, dataset.collectionName);
    (globalThis as { [FLUSH]?: () => Promise<void> | undefined })[FLUSH] ??= () => queue?.flush();
    await queue.push(Array.isArray(rows) ? rows : [rows]);
  },
};
