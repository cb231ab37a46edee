import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { CHUNK_IN_FINISH_PROTOCOL, type FinishAnswer, LIMITS } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { Connection } from '../platform/connection.js';
import { FrameRefused } from '../platform/frame-refused.js';
import type { ChunkRange } from './chunk-journal.js';
import type { Result } from './result.js';
import type { Spool } from './spool.js';

const compress = promisify(gzip);
/**
 * A chunk of this size comes from a flood of echoes, whose compression would take much of the processors. Level 4 takes 0.4
 * of the time of the default, and the result is 2 to 12 % larger.
 */
const FLOOD_BYTES = LIMITS.echoChunkBytes / 2;
const FLOOD_LEVEL = 4;

interface DeliveryHooks {
  /** Called when the run is over. The result waits for it. */
  before?: (() => Promise<void>) | undefined;
  /** Called when the platform has acknowledged the result. */
  answered?: (answer: FinishAnswer) => void;
}

/** Delivers a spool to the platform: the chunks in order, and the result as soon as the run is over. */
export class Delivery {
  readonly #spool: Spool;
  readonly #connection: Connection;
  readonly #log: Logger;
  /** Aborted when the worker learns that the platform already has the result. */
  readonly #known = new AbortController();
  readonly #hooks: DeliveryHooks;
  #finish: Promise<void> | undefined;

  constructor(spool: Spool, connection: Connection, log: Logger, hooks: DeliveryHooks = {}) {
    this.#hooks = hooks;
    this.#spool = spool;
    this.#connection = connection;
    this.#log = log;
  }

  /**
   * Delivers the run. Resolves when the run is over, the platform has received everything, and the run's folder is
   * removed.
   */
  async run(): Promise<void> {
    for (let chunk = await this.#spool.nextChunk(); chunk; chunk = await this.#spool.nextChunk()) {
      await this.#deliverChunk(chunk);
    }
    const { result } = this.#spool;
    if (result) await this.finish(result);
    await this.#spool.remove();
  }

  /** Delivers the result without waiting for the chunks. Resolves when the platform has the result. */
  finish(result: Result): Promise<void> {
    this.#finish ??= this.#deliverFinish(result);
    return this.#finish;
  }

  /** Stops delivering the result, because the platform has it already. */
  finishKnown(): void {
    this.#known.abort();
  }

  async #deliverChunk(chunk: ChunkRange): Promise<void> {
    const compressed = await this.#compressed(chunk);
    await this.#unlessRefused(`chunk ${chunk.n}`, () =>
      this.#connection.deliverChunk({ id: this.#spool.id, ...compressed }),
    );
    this.#spool.acknowledgeChunk(chunk.n);
  }

  async #compressed(chunk: ChunkRange) {
    const { n, from_seq, to_seq } = chunk;
    const rows = await this.#spool.rows(chunk);
    const gz = await compress(rows, rows.length < FLOOD_BYTES ? {} : { level: FLOOD_LEVEL });
    return { n, from_seq, to_seq, gz, sha: createHash('sha256').update(gz).digest('hex') };
  }

  async #deliverFinish(result: Result): Promise<void> {
    try {
      if (!this.#spool.finished) {
        await this.#hooks.before?.();
        await this.#unlessRefused('the finish', () => this.#deliverResult(result));
      }
    } catch (error) {
      if (!this.#known.signal.aborted) throw error;
    } finally {
      this.#spool.finishTried();
    }
    this.#spool.acknowledgeFinish();
  }

  /** Delivers the result, with the chunk that waits for it if the platform can take both. */
  async #deliverResult(result: Result): Promise<void> {
    const range = this.#spool.chunkOfFinish;
    const chunk = range && (await this.#compressed(range));
    let hasChunk = false;
    const frame = () => {
      hasChunk = chunk !== undefined && this.#connection.protocol >= CHUNK_IN_FINISH_PROTOCOL;
      return chunk && hasChunk ? { ...result, chunk: { ...chunk, gz: chunk.gz.toString('base64') } } : result;
    };
    const answer = await this.#connection.deliver('finish', frame, this.#known.signal);
    this.#hooks.answered?.(answer);
    if (hasChunk && range) this.#spool.acknowledgeChunk(range.n);
  }

  /**
   * Delivers a frame. If the platform refuses the frame, for example because the run was deleted, the frame is dropped
   * and the refusal is logged.
   */
  async #unlessRefused(what: string, deliver: () => Promise<unknown>): Promise<void> {
    try {
      await deliver();
    } catch (error) {
      if (!(error instanceof FrameRefused)) throw error;
      const level = error.code === 'unknown_run' ? 'info' : 'error';
      this.#log[level](
        { execution: this.#spool.id, code: error.code, reason: error.message },
        `platform refused ${what}`,
      );
    }
  }
}
