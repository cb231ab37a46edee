import { SHARES } from '@trawl/contracts';
import { ApiError } from '../../common/errors.js';
import { AccountSemaphore } from '../../common/shares/account-semaphore.js';

const MAX_QUEUED = 100;
const MAX_QUEUED_PER_ACCOUNT = SHARES.buildsQueued;
/** The places of all accounts are one queue. */
const ALL_ACCOUNTS = '';

/**
 * Limits how many builds run at the same time: one for each account, and `concurrency` in all. Further builds wait in
 * queues of limited length. So one account with many builds does not delay the builds of others.
 */
export class BuildQueue {
  readonly #accounts = new AccountSemaphore('builds', SHARES.buildsAtOnce, { maxQueued: MAX_QUEUED_PER_ACCOUNT });
  readonly #places;
  #queued = 0;
  #closed = false;

  constructor(concurrency: number) {
    this.#places = new AccountSemaphore('builds', concurrency, { maxQueued: MAX_QUEUED });
  }

  /**
   * @param build gets a function that frees the build's place for other accounts before the build ends. Its own account
   *   still waits for its end.
   * @param signal removes the build from the queue when it aborts. A running build handles the signal itself.
   * @throws {ApiError} 429 `too_many_requests` when the account has too many builds in its queue, 503 when too
   *   many accounts have one, or the backend is shutting down. Throws the signal's reason after an abort.
   */
  async run<Result>(
    ownerId: string,
    build: (freePlace: () => void) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const release = await this.#accounts.acquire(ownerId, signal).catch(error => throwReason(error, signal));
    try {
      const freePlace = await this.#acquirePlace(signal).catch(error => throwReason(error, signal));
      try {
        this.#checkOpen();
        const result = await build(freePlace);
        // Shutdown kills the processes of running builds, so their result must not be used: it would blame the skript.
        this.#checkOpen();
        return result;
      } finally {
        freePlace();
      }
    } finally {
      release();
    }
  }

  /** Returns a function that frees the place; only its first call has an effect. */
  async #acquirePlace(signal: AbortSignal | undefined): Promise<() => void> {
    if (this.#queued >= MAX_QUEUED) {
      throw new ApiError('service_unavailable', 'Too many bundles are being built. Try again in a few seconds.');
    }
    this.#queued += 1;
    try {
      const release = await this.#places.acquire(ALL_ACCOUNTS, signal);
      let isFree = false;
      return () => {
        if (!isFree) release();
        isFree = true;
      };
    } finally {
      this.#queued -= 1;
    }
  }

  /** Ends the queue at shutdown. Queued builds fail at once, running builds fail as soon as their process ends. */
  close(): void {
    this.#closed = true;
  }

  #checkOpen(): void {
    if (this.#closed) throw shuttingDown();
  }
}

/** An abort has its own reason, which says more than that of the semaphore. */
function throwReason(error: unknown, signal: AbortSignal | undefined): never {
  signal?.throwIfAborted();
  throw error;
}

export const shuttingDown = (): ApiError =>
  new ApiError('service_unavailable', 'Trawl is shutting down. Try again in a few seconds.');
