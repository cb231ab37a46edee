import pLimit from 'p-limit';
import { ApiError } from '../../common/errors.js';

const MAX_QUEUED = 100;

/** Limits how many builds run at the same time. Further builds wait in a queue of limited length. */
export class BuildQueue {
  readonly #limit;
  #closed = false;

  constructor(concurrency: number) {
    this.#limit = pLimit(concurrency);
  }

  /** @throws {ApiError} 503 when the queue is full, or when the backend is shutting down. */
  async run<Result>(build: () => Promise<Result>): Promise<Result> {
    if (this.#limit.pendingCount >= MAX_QUEUED) {
      throw new ApiError('service_unavailable', 'Too many bundles are being built. Try again in a few seconds.');
    }
    return this.#limit(async () => {
      this.#checkOpen();
      const result = await build();
      // Shutdown kills the processes of running builds, so their result must not be used: it would blame the skript.
      this.#checkOpen();
      return result;
    });
  }

  /** Ends the queue at shutdown. Queued builds fail at once, running builds fail as soon as their process ends. */
  close(): void {
    this.#closed = true;
  }

  #checkOpen(): void {
    if (this.#closed) throw shuttingDown();
  }
}

export const shuttingDown = (): ApiError =>
  new ApiError('service_unavailable', 'Trawl is shutting down. Try again in a few seconds.');
