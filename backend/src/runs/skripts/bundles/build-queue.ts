import { SHARES } from '@trawl/contracts';
import pLimit from 'p-limit';
import { ApiError } from '../../../platform/common/errors.js';
import { AccountSemaphore } from '../../../platform/common/shares/account-semaphore.js';

const MAX_QUEUED = 100;
const MAX_QUEUED_PER_ACCOUNT = SHARES.buildsQueued;

/**
 * Limits how many builds run at the same time: one for each account, and `concurrency` in all. Further builds wait in
 * queues of limited length. So one account with many builds does not delay the builds of others.
 */
export class BuildQueue {
  readonly #accounts = new AccountSemaphore('builds', SHARES.buildsAtOnce, { maxQueued: MAX_QUEUED_PER_ACCOUNT });
  readonly #limit;
  #closed = false;

  constructor(concurrency: number) {
    this.#limit = pLimit(concurrency);
  }

  /**
   * @throws {ApiError} 429 `too_many_requests` when the account has too many builds in its queue, 503 when too
   *   many accounts have one, or the backend is shutting down.
   */
  async run<Result>(ownerId: string, build: () => Promise<Result>): Promise<Result> {
    const release = await this.#accounts.acquire(ownerId);
    try {
      return await this.#runLimited(build);
    } finally {
      release();
    }
  }

  #runLimited<Result>(build: () => Promise<Result>): Promise<Result> {
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
