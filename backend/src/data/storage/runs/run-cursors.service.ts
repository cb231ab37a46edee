import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LIMITS } from '@trawl/contracts';
import { Binary, serialize } from 'bson';
import type { mongo } from 'mongoose';
import { cursorLost, StorageFailure } from '../mongodb/storage-failures.js';

type Source = mongo.FindCursor | mongo.AggregationCursor;

interface OpenCursor {
  source: Source;
  /** Number of batches sent so far. The cursor's name ends with it. */
  batches: number;
  batchSize: number;
  /** Documents as bytes that the driver has received, and the index of the first one that was not sent yet. */
  received: Uint8Array[];
  sent: number;
  /** The last response. It is sent again if a run repeats its request. */
  last: Uint8Array;
  usedAt: number;
  busy: boolean;
}

export const MAX_CURSORS_PER_RUN = 20;
const IDLE_MS = 5 * 60_000;
const SWEEP_MS = 30_000;
const ENVELOPE_BYTES = 120;

/**
 * The open cursors of runs. A cursor's name is `<id>.<n>`, where `n` is the number of the next batch. So a repeated
 * request gets the same documents again and does not skip a batch.
 */
@Injectable()
export class RunCursorsService implements OnModuleInit, OnApplicationShutdown {
  readonly #runs = new Map<string, Map<string, OpenCursor>>();
  #sweeping: NodeJS.Timeout | undefined;

  onModuleInit(): void {
    this.#sweeping = setInterval(() => this.closeIdle(performance.now() - IDLE_MS), SWEEP_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#sweeping);
    await Promise.all([...this.#runs.keys()].map(executionId => this.end(executionId)));
  }

  /**
   * Opens a cursor and returns the first batch as BSON `{ docs, cursor }`.
   *
   * @param source returns documents as bytes
   */
  async open(executionId: string, source: Source, batchSize: number): Promise<Uint8Array> {
    const id = randomUUID();
    const cursor: OpenCursor = {
      source,
      batches: 0,
      batchSize,
      received: [],
      sent: 0,
      last: new Uint8Array(),
      usedAt: performance.now(),
      busy: false,
    };
    let answer: { result: Uint8Array; ended: boolean };
    try {
      answer = await readBatch(id, cursor);
      if (!answer.ended) this.#keep(executionId, id, cursor);
    } catch (error) {
      await close(cursor);
      throw error;
    }
    return answer.result;
  }

  /** Returns the batch with the number in the cursor's `name`, in the same form as `open`. */
  async next(executionId: string, name: unknown): Promise<Uint8Array> {
    const [id = '', batch] = String(name).split('.');
    const cursor = this.#runs.get(executionId)?.get(id);
    if (!cursor) throw cursorLost();
    if (cursor.busy)
      throw new StorageFailure(
        'storage_rejected',
        'This cursor is already being read. Wait for its documents before you request more.',
      );
    cursor.usedAt = performance.now();
    if (Number(batch) === cursor.batches - 1) return cursor.last;
    if (Number(batch) !== cursor.batches) throw cursorLost();
    cursor.busy = true;
    try {
      return (await readBatch(id, cursor)).result;
    } catch (error) {
      this.#forget(executionId, id);
      await close(cursor);
      throw error;
    } finally {
      cursor.busy = false;
    }
  }

  /** Closes a cursor. Does nothing for an unknown name. */
  async close(executionId: string, name: unknown): Promise<void> {
    const [id = ''] = String(name).split('.');
    const cursor = this.#runs.get(executionId)?.get(id);
    this.#forget(executionId, id);
    if (cursor) await close(cursor);
  }

  /** Closes all cursors of a run that ended. */
  async end(executionId: string): Promise<void> {
    const cursors = [...(this.#runs.get(executionId)?.values() ?? [])];
    this.#runs.delete(executionId);
    await Promise.all(cursors.map(close));
  }

  /** Closes cursors that were not used since `before` (Unix time in milliseconds). */
  closeIdle(before: number): void {
    for (const [executionId, cursors] of this.#runs) {
      for (const [id, cursor] of cursors) {
        if (cursor.busy || cursor.usedAt >= before) continue;
        this.#forget(executionId, id);
        void close(cursor);
      }
    }
  }

  #keep(executionId: string, id: string, cursor: OpenCursor): void {
    const cursors = this.#runs.get(executionId) ?? new Map<string, OpenCursor>();
    for (const [otherId, other] of cursors) {
      // A cursor without more documents is kept only to repeat its last response, so it may be removed.
      if (cursors.size >= MAX_CURSORS_PER_RUN && other.source.closed && !hasReceived(other)) cursors.delete(otherId);
    }
    if (cursors.size >= MAX_CURSORS_PER_RUN) {
      throw new StorageFailure(
        'storage_rejected',
        `The run has ${MAX_CURSORS_PER_RUN} open cursors, which is the limit. Read them to the end or close() them.`,
      );
    }
    cursors.set(id, cursor);
    this.#runs.set(executionId, cursors);
  }

  #forget(executionId: string, id: string): void {
    const cursors = this.#runs.get(executionId);
    cursors?.delete(id);
    if (cursors?.size === 0) this.#runs.delete(executionId);
  }
}

async function readBatch(id: string, cursor: OpenCursor): Promise<{ result: Uint8Array; ended: boolean }> {
  const docs: Uint8Array[] = [];
  let bytes = ENVELOPE_BYTES;
  while (docs.length < cursor.batchSize && (hasReceived(cursor) || (await receive(cursor)))) {
    const doc = cursor.received[cursor.sent] as Uint8Array;
    bytes += doc.length;
    if (bytes > LIMITS.storageOperationBytes) {
      if (docs.length > 0) break;
      throw new StorageFailure(
        'storage_too_large',
        `A document exceeds ${LIMITS.storageOperationBytes} bytes as BSON. Select fewer of its fields with project().`,
      );
    }
    docs.push(doc);
    cursor.sent += 1;
  }
  const ended = !hasReceived(cursor) && (cursor.source.closed || cursor.source.id?.isZero() === true);
  if (ended) await close(cursor);
  cursor.batches += 1;
  const result = serialize({ docs: new Binary(Buffer.concat(docs)), cursor: ended ? null : `${id}.${cursor.batches}` });
  cursor.last = result;
  return { result, ended };
}

const hasReceived = ({ received, sent }: OpenCursor): boolean => sent < received.length;

/** Receives documents from MongoDB. Returns false after the last one. */
async function receive(cursor: OpenCursor): Promise<boolean> {
  const { source } = cursor;
  const first: unknown = await source.next();
  if (first === null) return false;
  cursor.received = [first, ...source.readBufferedDocuments()] as Uint8Array[];
  cursor.sent = 0;
  return true;
}

/** Ignores errors: if the server is gone, its cursors are closed, too. */
const close = (cursor: OpenCursor): Promise<void> => cursor.source.close().catch(() => {});
