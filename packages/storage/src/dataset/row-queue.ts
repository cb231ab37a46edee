import { ObjectId } from 'bson';
import { encode, joinDocuments } from '../protocol/bson-documents.js';
import type { Document } from '../protocol/document.js';
import { StorageError } from '../protocol/storage-error.js';
import { MAX_CALL_BYTES, send } from '../storage-port.js';

/** Size in bytes of an insert without its rows. */
const ENVELOPE_BYTES = 64;
/** Maximum size of the rows that wait. The rows of one push may exceed it. */
export const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Fields that the platform sets. */
const RESERVED = ['_id', '_run', '_at'];

interface WaitingRow {
  /** BSON, so that a later change of the skript's object changes nothing. */
  bytes: Uint8Array;
  /** Settles the push; only for the last row of a push. */
  settle?: { resolve(): void; reject(error: unknown): void };
}

/**
 * The rows of one run that are not stored yet. They travel in order, one batch at a time; rows that arrive meanwhile
 * share the next batch. So a skript that waits for each row loses no time, and one that does not wait sends few calls.
 * See docs/decisions/0128-rows-and-values-of-runs.md.
 */
export class RowQueue {
  readonly #collection: string;
  #waiting: WaitingRow[] = [];
  #waitingBytes = 0;
  #isSending = false;
  /** Resolves when the latest push is settled, and so are all before it. */
  #latest: Promise<void> = Promise.resolve();
  /** Number of rows that the run has stored. */
  #stored = 0;
  /** Time in the latest `_id`. It never goes back, because readers page by `_id`. */
  #idSeconds = 0;

  constructor(
    readonly runId: string,
    collection: string,
  ) {
    this.#collection = collection;
  }

  /**
   * Resolves when the rows are stored.
   *
   * @throws TypeError for a value that is not a row; StorageError
   */
  async push(rows: Document[]): Promise<void> {
    if (this.#waitingBytes > MAX_WAITING_BYTES) {
      throw new StorageError(
        'storage_too_large',
        `dataset.push: rows of more than ${MAX_WAITING_BYTES} bytes wait to be stored. Wait for them with \`await dataset.push(…)\`.`,
      );
    }
    const _at = new Date();
    const added = rows.map((row, index) => this.#encode(row, index, _at));
    const last = added.at(-1);
    if (!last) return;
    const stored = new Promise<void>((resolve, reject) => {
      last.settle = { resolve, reject };
    });
    for (const row of added) {
      this.#waiting.push(row);
      this.#waitingBytes += row.bytes.length;
    }
    this.#latest = stored.catch(() => {});
    if (!this.#isSending) void this.#send();
    await stored;
  }

  /**
   * Resolves when the rows of all pushes so far are stored or have failed. Never rejects, because the promises of
   * `push` do. Does not wait for later pushes: code that keeps pushing must not delay the end of the run.
   */
  flush(): Promise<void> {
    return this.#latest;
  }

  #encode(row: Document, index: number, _at: Date): WaitingRow {
    if (row === null || typeof row !== 'object' || Array.isArray(row)) {
      throw new TypeError(`dataset.push: rows[${index}] is not an object.`);
    }
    const reserved = RESERVED.find(name => Object.hasOwn(row, name));
    if (reserved) {
      throw new TypeError(`dataset.push: rows[${index}] has the field ${reserved}, which Trawl sets. Rename it.`);
    }
    const what = `dataset.push: rows[${index}]`;
    const bytes = encode({ _id: this.#nextId(_at), _run: this.runId, _at, ...row }, what);
    if (bytes.length + ENVELOPE_BYTES <= MAX_CALL_BYTES) return { bytes };
    throw new StorageError(
      'storage_too_large',
      `${what} is ${bytes.length} bytes as BSON; the limit is ${MAX_CALL_BYTES}.`,
    );
  }

  #nextId(at: Date): ObjectId {
    this.#idSeconds = Math.max(this.#idSeconds, Math.floor(at.getTime() / 1_000));
    return new ObjectId(ObjectId.generate(this.#idSeconds));
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    // Let a loop of pushes without `await` fill the first batch.
    await null;
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      try {
        await this.#insert(batch);
        for (const { settle } of batch) settle?.resolve();
      } catch (error) {
        // The rows behind them would fail too, each batch after all its retries.
        this.#waitingBytes = 0;
        for (const { settle } of [...batch, ...this.#waiting.splice(0)]) settle?.reject(error);
      }
    }
    this.#isSending = false;
  }

  async #insert(batch: WaitingRow[]): Promise<void> {
    const docs = joinDocuments(batch.map(({ bytes }) => bytes));
    const args = encode({ docs, ordered: true }, 'dataset.push');
    const rows = this.#stored + batch.length;
    await send({ collection: this.#collection, method: 'insertMany', args, rows }, 'dataset.push');
    this.#stored = rows;
  }

  /** Removes as many rows as fit into one call. */
  #takeBatch(): WaitingRow[] {
    let bytes = ENVELOPE_BYTES;
    let count = 0;
    for (const row of this.#waiting) {
      if (bytes + row.bytes.length > MAX_CALL_BYTES) break;
      bytes += row.bytes.length;
      count++;
    }
    this.#waitingBytes -= bytes - ENVELOPE_BYTES;
    return this.#waiting.splice(0, count);
  }
}
