import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LIMITS } from '@trawl/contracts';
import { EJSON } from 'bson';
import type { mongo } from 'mongoose';
import { cursorLost, StorageFailure } from './storage-failures.js';

type Source = mongo.FindCursor | mongo.AggregationCursor;

interface OpenCursor {
  source: Source;
  /** How many batches were answered. The name that a run has for the cursor ends with it. */
  batches: number;
  batchSize: number;
  /** A document that did not fit into the last batch, as EJSON text. */
  held: string | null;
  /** The last answer, for a run that asks again because the answer did not reach it. */
  last: string;
  usedAt: number;
  busy: boolean;
}

export const MAX_CURSORS_PER_RUN = 20;
const IDLE_MS = 5 * 60_000;
const SWEEP_MS = 30_000;
const ENVELOPE_BYTES = 120;

/**
 * The cursors that runs have open. `<id>.<n>` names the batch that comes next, so that asking for the same batch twice
 * gives the same documents twice instead of losing one batch.
 */
@Injectable()
export class RunCursorsService implements OnModuleInit, OnApplicationShutdown {
  readonly #runs = new Map<string, Map<string, OpenCursor>>();
  #sweeping: NodeJS.Timeout | undefined;

  onModuleInit(): void {
    this.#sweeping = setInterval(() => this.closeIdle(Date.now() - IDLE_MS), SWEEP_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#sweeping);
    await Promise.all([...this.#runs.keys()].map(executionId => this.end(executionId)));
  }

  /** The first batch of a query, as EJSON text `{ docs, cursor }`. */
  async open(executionId: string, source: Source, batchSize: number): Promise<string> {
    const cursor: OpenCursor = { source, batches: 0, batchSize, held: null, last: '', usedAt: Date.now(), busy: false };
    const id = randomUUID();
    let answer: { text: string; ended: boolean };
    try {
      answer = await readBatch(id, cursor);
      if (!answer.ended) this.#keep(executionId, id, cursor);
    } catch (error) {
      await close(cursor);
      throw error;
    }
    return answer.text;
  }

  /** The batch that `name` stands for. */
  async next(executionId: string, name: unknown): Promise<string> {
    const [id = '', batch] = String(name).split('.');
    const cursor = this.#runs.get(executionId)?.get(id);
    if (!cursor) throw cursorLost();
    if (cursor.busy)
      throw new StorageFailure(
        'storage_rejected',
        'This cursor is being read already. Wait for its documents before asking for more.',
      );
    cursor.usedAt = Date.now();
    if (Number(batch) === cursor.batches - 1) return cursor.last;
    if (Number(batch) !== cursor.batches) throw cursorLost();
    cursor.busy = true;
    try {
      return (await readBatch(id, cursor)).text;
    } catch (error) {
      this.#forget(executionId, id);
      await close(cursor);
      throw error;
    } finally {
      cursor.busy = false;
    }
  }

  /** Closes one cursor; none by that name is fine. */
  async close(executionId: string, name: unknown): Promise<void> {
    const [id = ''] = String(name).split('.');
    const cursor = this.#runs.get(executionId)?.get(id);
    this.#forget(executionId, id);
    if (cursor) await close(cursor);
  }

  /** Closes what a run that ended has left open. */
  async end(executionId: string): Promise<void> {
    const cursors = [...(this.#runs.get(executionId)?.values() ?? [])];
    this.#runs.delete(executionId);
    await Promise.all(cursors.map(close));
  }

  /** Closes the cursors that were last used before that time, in ms of the Unix clock. */
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
      // Read to its end, and kept only to answer again.
      if (cursors.size >= MAX_CURSORS_PER_RUN && other.source.closed && other.held === null) cursors.delete(otherId);
    }
    if (cursors.size >= MAX_CURSORS_PER_RUN) {
      throw new StorageFailure(
        'storage_rejected',
        `The run has ${MAX_CURSORS_PER_RUN} cursors open, which is the most it may have. Read them to their end or close() them.`,
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

async function readBatch(id: string, cursor: OpenCursor): Promise<{ text: string; ended: boolean }> {
  const docs: string[] = [];
  let bytes = ENVELOPE_BYTES;
  let ended = false;
  while (docs.length < cursor.batchSize) {
    const doc = cursor.held ?? (await nextText(cursor.source));
    cursor.held = null;
    if (doc === null) {
      ended = true;
      break;
    }
    bytes += Buffer.byteLength(doc) + 1;
    if (bytes > LIMITS.storageOperationBytes) {
      if (docs.length === 0) {
        throw new StorageFailure(
          'storage_too_large',
          `A document is more than ${LIMITS.storageOperationBytes} bytes as Extended JSON. Choose fewer of its fields with project().`,
        );
      }
      cursor.held = doc;
      break;
    }
    docs.push(doc);
  }
  ended ||=
    cursor.held === null &&
    cursor.source.bufferedCount() === 0 &&
    (cursor.source.closed || cursor.source.id?.isZero() === true);
  if (ended) await close(cursor);
  cursor.batches += 1;
  const name = ended ? 'null' : JSON.stringify(`${id}.${cursor.batches}`);
  const text = `{"docs":[${docs.join(',')}],"cursor":${name}}`;
  cursor.last = text;
  return { text, ended };
}

async function nextText(source: Source): Promise<string | null> {
  const document: unknown = await source.next();
  return document === null ? null : EJSON.stringify(document, { relaxed: false });
}

/** A server that is gone has closed the cursor as well. */
const close = (cursor: OpenCursor): Promise<void> => cursor.source.close().catch(() => {});
