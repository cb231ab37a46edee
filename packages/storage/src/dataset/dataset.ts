import { inspect } from 'node:util';
import { beforeEnd } from '../before-end.js';
import { checkOptions } from '../check-options.js';
import type { Document } from '../protocol/document.js';
import { thisRun } from '../this-run.js';
import { keyPaths } from './row-key.js';
import { originOf, type RequestOfRows } from './row-origin.js';
import { RowQueue } from './row-queue.js';

/** Name of the global value that the runner sets: the key of rows that are pushed without one. */
const ROW_KEY = Symbol.for('trawl.rowKey');

export interface PushOptions {
  /**
   * The field by which rows are the same, such as `'sku'`, a path such as `'product.sku'`, or a list of them. A run and
   * its retries store one row for each key: the latest. The default is the key in the contract of the skript.
   */
  key?: string | string[];
  /**
   * Whether the run finds only a part of what it usually finds, such as one page of a catalogue. Items that it does not
   * find are not gone then.
   */
  partial?: boolean;
  /**
   * The request of a queue that the rows come from. If the run dies before it settles the request, the run of the skript
   * that takes the request next deletes these rows, and so stores none of them twice.
   */
  request?: RequestOfRows;
}

export interface Dataset {
  /** Name of the collection with the rows of all runs of the skript: `dataset_<id of the skript>`. */
  readonly collectionName: string;
  /**
   * Adds rows to what the run has found. They are stored with `_run`, the id of the run, and `_at`, the time of the
   * call. Resolves when they are stored. Without `await`, rows
   * travel together, and the run ends only when they are stored; if that fails, the run fails.
   *
   * If the run ends well, each key becomes an item, and Trawl notes how it differs from what earlier runs have stored.
   *
   * @throws TypeError if a row is not an object, has a field that Trawl sets, such as `_id`, or lacks its key; StorageError
   */
  push(rows: object | readonly object[], options?: PushOptions): Promise<void>;
}

let queue: RowQueue | undefined;

/** The rows of this run. */
export const dataset: Dataset = {
  get collectionName() {
    return `dataset_${thisRun().skriptId}`;
  },

  async push(rows, options = {}) {
    checkOptions(options, 'dataset.push', "{ key: 'sku' }");
    const key = options.key ?? (globalThis as { [ROW_KEY]?: unknown })[ROW_KEY];
    const paths = key === undefined ? undefined : keyPaths(key);
    const { partial = false, request } = options;
    if (typeof partial !== 'boolean') {
      throw new TypeError(`dataset.push: \`partial\` must be true or false; you sent ${inspect(partial)}.`);
    }
    if (request !== undefined && (typeof request?.id !== 'string' || !Number.isSafeInteger(request.retries))) {
      throw new TypeError(
        `dataset.push: expected a request that the run has taken as \`request\`; you sent ${inspect(request, { depth: 0 })}.`,
      );
    }
    if (partial && !paths) throw new TypeError('dataset.push: `partial` works only for rows with a `key`.');
    const { runId } = thisRun();
    // A warm process serves one run after another.
    if (queue?.runId !== runId) queue = new RowQueue(runId, dataset.collectionName);
    beforeEnd(flush);
    const origin = request && originOf(request);
    await queue.push((Array.isArray(rows) ? rows : [rows]) as Document[], paths, { isPartial: partial, origin });
  },
};

const flush = (): Promise<void> | undefined => queue?.flush();
