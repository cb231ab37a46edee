import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Logger } from 'pino';
import { type Connection, FrameRefused } from './connection.js';
import type { Spool } from './spool.js';
import type { ChunkPlace, Result } from './spool-journal.js';

const compress = promisify(gzip);

/** Gives what a spool holds to the platform: chunks in order as they are cut, the finish as soon as there is one. */
export class Delivery {
  readonly #spool: Spool;
  readonly #connection: Connection;
  readonly #log: Logger;
  readonly #known = new AbortController();
  #finish: Promise<void> | undefined;

  constructor(spool: Spool, connection: Connection, log: Logger) {
    this.#spool = spool;
    this.#connection = connection;
    this.#log = log;
  }

  /** Resolves when the run is over, the platform has everything, and the run's folder is gone. */
  async run(): Promise<void> {
    for (let chunk = await this.#spool.nextChunk(); chunk; chunk = await this.#spool.nextChunk()) {
      await this.#giveChunk(chunk);
    }
    const { result } = this.#spool;
    if (result) await this.finish(result);
    await this.#spool.remove();
  }

  /** Begins to give the result; resolves when the platform has it. It does not wait for the chunks. */
  finish(result: Result): Promise<void> {
    this.#finish ??= this.#giveFinish(result);
    return this.#finish;
  }

  /** The platform has said that it knows the result already. */
  finishKnown(): void {
    this.#known.abort();
  }

  async #giveChunk(chunk: ChunkPlace): Promise<void> {
    const { n, from_seq, to_seq } = chunk;
    const gz = await compress(await this.#spool.rows(chunk));
    const sha = createHash('sha256').update(gz).digest('hex');
    await this.#unlessRefused(`chunk ${n}`, () =>
      this.#connection.deliverChunk({ id: this.#spool.id, n, from_seq, to_seq, gz, sha }),
    );
    this.#spool.acknowledgeChunk(n);
  }

  async #giveFinish(result: Result): Promise<void> {
    if (!this.#spool.finished) {
      try {
        await this.#unlessRefused('the finish', () =>
          this.#connection.deliver('finish', () => result, this.#known.signal),
        );
      } catch (error) {
        if (!this.#known.signal.aborted) throw error;
      }
    }
    this.#spool.acknowledgeFinish();
  }

  // What the platform refuses for good, such as echoes of a run that was deleted, is of no use to anyone any more.
  async #unlessRefused(what: string, give: () => Promise<unknown>): Promise<void> {
    try {
      await give();
    } catch (error) {
      if (!(error instanceof FrameRefused)) throw error;
      const level = error.code === 'unknown_run' ? 'info' : 'error';
      this.#log[level](
        { execution: this.#spool.id, code: error.code, reason: error.message },
        `the platform refused ${what}`,
      );
    }
  }
}
