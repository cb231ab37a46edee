import { ApiError } from './errors.js';

interface Account {
  running: number;
  /** Functions that start the queued calls, in the order in which the calls came. */
  queue: Set<() => void>;
}

/** Short, because slots become free within seconds: calls of MongoDB and builds have short time limits. */
const RETRY_AFTER_SECONDS = 2;

/**
 * Limits how many calls each account runs at the same time. Further calls wait in a queue of limited length, one for
 * each account, and leave it after `maxWaitMs`.
 *
 * We do not use p-queue, because it frees the slot of a running call as soon as its signal aborts, while MongoDB may
 * still work on the call. We do not use p-limit, because it cannot remove a queued call from its queue.
 */
export class AccountSemaphore {
  readonly #accounts = new Map<string, Account>();

  /** @param noun what is limited, in the plural, for the error message. */
  constructor(
    private readonly noun: string,
    private readonly concurrency: number,
    private readonly maxQueued: number,
    private readonly maxWaitMs?: number,
  ) {}

  /**
   * Waits for a free slot of the account.
   * @param signal removes the call from the queue when it aborts.
   * @returns a function that releases the slot; call it once.
   * @throws {ApiError} 429 `too_many_requests` when the queue is full or the call waited too long, 503 `service_unavailable` after an abort.
   */
  async acquire(ownerId: string, signal?: AbortSignal): Promise<() => void> {
    const account = this.#accounts.get(ownerId) ?? { running: 0, queue: new Set() };
    this.#accounts.set(ownerId, account);
    if (account.running < this.concurrency) account.running += 1;
    else await this.#enqueue(account, signal);
    return () => this.#release(ownerId, account);
  }

  #enqueue({ queue }: Account, signal: AbortSignal | undefined): Promise<void> {
    if (queue.size >= this.maxQueued) {
      throw this.#refusal(`You have ${this.concurrency} ${this.noun} running and ${queue.size} queued.`);
    }
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const settle = (outcome: () => void) => {
        queue.delete(start);
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
        outcome();
      };
      const start = () => settle(resolve);
      const leave = () => settle(() => reject(new ApiError('service_unavailable', 'The client disconnected.')));
      if (signal?.aborted) return leave();
      signal?.addEventListener('abort', leave, { once: true });
      queue.add(start);
      if (this.maxWaitMs === undefined) return;
      const text = `You have ${this.concurrency} ${this.noun} running, and this one waited ${this.maxWaitMs / 1_000} s for one of them to finish.`;
      timer = setTimeout(() => settle(() => reject(this.#refusal(text))), this.maxWaitMs);
    });
  }

  #refusal(text: string): ApiError {
    return new ApiError(
      'too_many_requests',
      `${text} Wait until some finish, then retry.`,
      undefined,
      RETRY_AFTER_SECONDS,
    );
  }

  /** Gives the slot to the first queued call. Without a queued call, the slot becomes free. */
  #release(ownerId: string, account: Account): void {
    const [next] = account.queue;
    if (next) next();
    else account.running -= 1;
    if (account.running === 0) this.#accounts.delete(ownerId);
  }
}
