import { createHash } from 'node:crypto';
import { encode, joinDocuments } from '../protocol/bson-documents.js';
import type { Document } from '../protocol/document.js';
import { StorageError } from '../protocol/storage-error.js';
import { MAX_CALL_BYTES, send } from '../storage-port.js';
import { rowKey } from './row-key.js';
import { rowId } from './row-origin.js';

/** Size in bytes of a call without its rows. */
const ENVELOPE_BYTES = 64;
/** Size in bytes that a call needs for the place of a row's key, without the key. */
const KEY_BYTES = 12;
/** Maximum size of the rows that wait. The rows of one push may exceed it. */
export const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Fields that the platform sets. */
const RESERVED = ['_id', '_run', '_at'];
/** Fields that the platform sets too in a row with a key. */
const RESERVED_WITH_KEY = [...RESERVED, '_key', '_first', '_attempt', '_partial'];

interface WaitingRow {
  /** BSON, so that a later change of the skript's object changes nothing. */
  bytes: Uint8Array;
  /** Number of bytes that the row adds to a call. */
  size: number;
  /** Undefined for a row that replaces no other. */
  key: string | undefined;
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
  /** Hashes of the keys of stored rows. A row with one of them replaces a row, and is not counted again. */
  readonly #keys = new Set<number>();
  /**
   * Time of the latest push. It never goes back, because readers page by `_id`, and because the platform takes the row
   * with the later time for the newer one.
   */
  #lastTime = 0;

  constructor(
    readonly runId: string,
    collection: string,
  ) {
    this.#collection = collection;
  }

  /**
   * Resolves when the rows are stored.
   *
   * @param paths of the values that are a row's key; undefined for rows without a key
   * @param options `isPartial`: whether the run finds only a part of what it usually finds; `origin`: ends the ids of rows
   * that come from a request of a queue
   * @throws TypeError for a value that is not a row, or lacks its key; StorageError
   */
  async push(
    rows: Document[],
    paths?: string[],
    { isPartial = false, origin }: { isPartial?: boolean; origin?: Buffer } = {},
  ): Promise<void> {
    if (this.#waitingBytes > MAX_WAITING_BYTES) {
      throw new StorageError(
        'storage_too_large',
        `dataset.push: rows of more than ${MAX_WAITING_BYTES} bytes wait to be stored. Wait for them with \`await dataset.push(…)\`.`,
      );
    }
    this.#lastTime = Math.max(this.#lastTime, Date.now());
    const _at = new Date(this.#lastTime);
    const added = rows.map((row, index) => this.#encode(row, { index, _at, paths, isPartial, origin }));
    const last = added.at(-1);
    if (!last) return;
    const stored = new Promise<void>((resolve, reject) => {
      last.settle = { resolve, reject };
    });
    for (const row of added) {
      this.#waiting.push(row);
      this.#waitingBytes += row.size;
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

  #encode(
    row: Document,
    {
      index,
      _at,
      paths,
      isPartial,
      origin,
    }: { index: number; _at: Date; paths: string[] | undefined; isPartial: boolean; origin: Buffer | undefined },
  ): WaitingRow {
    if (row === null || typeof row !== 'object' || Array.isArray(row)) {
      throw new TypeError(`dataset.push: rows[${index}] is not an object.`);
    }
    const reserved = (paths ? RESERVED_WITH_KEY : RESERVED).find(name => Object.hasOwn(row, name));
    if (reserved) {
      throw new TypeError(`dataset.push: rows[${index}] has the field ${reserved}, which Trawl sets. Rename it.`);
    }
    const what = `dataset.push: rows[${index}]`;
    const key = paths && rowKey(row, index, paths);
    const bytes = encode(
      {
        _id: rowId(Math.floor(_at.getTime() / 1_000), origin),
        _run: this.runId,
        _at,
        ...(isPartial && { _partial: true }),
        ...row,
      },
      what,
    );
    const size = bytes.length + KEY_BYTES + (key === undefined ? 0 : Buffer.byteLength(key));
    if (size + ENVELOPE_BYTES <= MAX_CALL_BYTES) return { bytes, size, key };
    throw new StorageError('storage_too_large', `${what} is ${size} bytes as BSON; the limit is ${MAX_CALL_BYTES}.`);
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    // Let a loop of pushes without `await` fill the first batch.
    await null;
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      try {
        await this.#store(batch);
        for (const { settle } of batch) settle?.resolve();
      } catch (error) {
        // The rows behind them would fail too, each batch after all its retries.
        this.#waitingBytes = 0;
        for (const { settle } of [...batch, ...this.#waiting.splice(0)]) settle?.reject(error);
      }
    }
    this.#isSending = false;
  }

  async #store(batch: WaitingRow[]): Promise<void> {
    const docs = joinDocuments(batch.map(({ bytes }) => bytes));
    const hashes = batch.map(({ key }) => (key === undefined ? null : hashOf(key)));
    const keyed = hashes.filter(hash => hash !== null);
    const newKeys = new Set(keyed.filter(hash => !this.#keys.has(hash)));
    const [method, args] =
      keyed.length > 0
        ? ['upsertRows', { docs, keys: batch.map(({ key }) => key ?? null) }]
        : ['insertMany', { docs, ordered: true }];
    const rows = this.#stored + newKeys.size + batch.length - keyed.length;
    const request = { collection: this.#collection, method, args: encode(args, 'dataset.push'), rows };
    try {
      await send(request, 'dataset.push');
    } catch (error) {
      // The platform counts what a failed call has stored, so a later row with one of these keys adds nothing.
      if (error instanceof StorageError) this.#remember(hashes.slice(0, error.insertedCount ?? 0));
      throw error;
    }
    this.#stored = rows;
    this.#remember(keyed);
  }

  #remember(hashes: (number | null)[]): void {
    for (const hash of hashes) if (hash !== null) this.#keys.add(hash);
  }

  /** Removes as many rows as fit into one call. */
  #takeBatch(): WaitingRow[] {
    let bytes = ENVELOPE_BYTES;
    let count = 0;
    for (const { size } of this.#waiting) {
      if (bytes + size > MAX_CALL_BYTES) break;
      bytes += size;
      count++;
    }
    this.#waitingBytes -= bytes - ENVELOPE_BYTES;
    return this.#waiting.splice(0, count);
  }
}

/**
 * Returns 53 bits of a hash of the key: a number takes less memory than the key. With a million keys, the chance that two
 * have the same number, and that the run's number of rows is too low by one, is 1 in 18,000.
 */
function hashOf(key: string): number {
  const hash = createHash('sha1').update(key).digest();
  return hash.readUIntBE(0, 6) * 32 + (hash.readUInt8(6) % 32);
}
