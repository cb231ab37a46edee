import { ApiError } from '../errors.js';
import type { Contention } from './contention.service.js';

interface Account {
  running: number;
  /** Functions that start the queued calls, in the order in which the calls came. */
  queue: Set<() => void>;
}

/** Short, because slots become free within seconds: calls of MongoDB and builds have short time limits. */
const RETRY_AFTER_SECONDS = 2;
/**
 * After this time a call no longer waits because accounts compete. Otherwise an account whose calls wait for its database
 * could do nothing else meanwhile.
 */
const COMPETING_WAIT_MS = 1_000;

interface Options {
  /** Calls that can wait, for each account. */
  maxQueued: number;
  /** Calls that wait longer are refused. */
  maxWaitMs?: number;
  /** While accounts compete, each has only this many calls at the same time, and those with the longest queues have one. */
  whileCompeting?: { concurrency: number; contention: Pick<Contention, 'isNow' | 'record'> };
}

/**
 * Limits how many calls each account runs at the same time. Further calls wait in a queue of limited length, one for
 * each account.
 *
 * We do not use p-queue, because it frees the slot of a running call as soon as its signal aborts, while MongoDB may
 * still work on the call. We do not use p-limit, because it cannot remove a queued call from its queue.
 * See docs/decisions/0362-accounts-share-the-backend.md.
 */
export class AccountSemaphore {
  readonly #accounts = new Map<string, Account>();

  /** @param noun what is limited, in the plural, for the error message. */
  constructor(
    private readonly noun: string,
    private readonly concurrency: number,
    private readonly options: Options,
  ) {}

  /** Takes a slot of the account if one is free. Returns a function that releases it, which to call once; otherwise null. */
  tryAcquire(ownerId: string): (() => void) | null {
    const account = this.#accounts.get(ownerId) ?? { running: 0, queue: new Set() };
    this.options.whileCompeting?.contention.record(ownerId);
    if (account.queue.size > 0 || account.running >= this.#concurrencyNow(account)) return null;
    account.running += 1;
    this.#accounts.set(ownerId, account);
    return () => this.#release(ownerId, account);
  }

  /**
   * Waits for a free slot of the account.
   * @param signal removes the call from the queue when it aborts.
   * @returns a function that releases the slot; call it once.
   * @throws {ApiError} 429 `too_many_requests` when the queue is full or the call waited too long, 503 `service_unavailable` after an abort.
   */
  async acquire(ownerId: string, signal?: AbortSignal): Promise<() => void> {
    const release = this.tryAcquire(ownerId);
    if (release) return release;
    // No slot is free, so the account has calls in progress.
    const account = this.#accounts.get(ownerId) as Account;
    await this.#enqueue(account, signal);
    return () => this.#release(ownerId, account);
  }

  #concurrencyNow(account: Account): number {
    const { whileCompeting } = this.options;
    if (!whileCompeting?.contention.isNow()) return this.concurrency;
    return this.#hasLongQueue(account) ? 1 : Math.min(whileCompeting.concurrency, this.concurrency);
  }

  /** Whether more calls of the account are queued than of the average account. */
  #hasLongQueue({ queue }: Account): boolean {
    const queued = [...this.#accounts.values()].reduce((sum, account) => sum + account.queue.size, 0);
    return queue.size > queued / this.#accounts.size;
  }

  #enqueue(account: Account, signal: AbortSignal | undefined): Promise<void> {
    const { queue, running } = account;
    const { maxQueued, maxWaitMs, whileCompeting } = this.options;
    if (queue.size >= maxQueued) {
      throw this.#refusal(`You have ${running} ${this.noun} running and ${queue.size} queued.`);
    }
    return new Promise((resolve, reject) => {
      const timers: NodeJS.Timeout[] = [];
      const settle = (outcome: () => void) => {
        queue.delete(start);
        for (const timer of timers) clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
        outcome();
      };
      const start = () => settle(resolve);
      const leave = () => settle(() => reject(new ApiError('service_unavailable', 'The client disconnected.')));
      if (signal?.aborted) return leave();
      signal?.addEventListener('abort', leave, { once: true });
      queue.add(start);
      if (whileCompeting) timers.push(setTimeout(() => this.#startNext(account, this.concurrency), COMPETING_WAIT_MS));
      if (maxWaitMs === undefined) return;
      const text = `You have ${running} ${this.noun} running, and this one waited ${maxWaitMs / 1_000} s for one of them to finish.`;
      timers.push(setTimeout(() => settle(() => reject(this.#refusal(text))), maxWaitMs));
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

  /**
   * Frees a slot. While accounts compete, it becomes free only after the event loop has turned to the sockets of others.
   * Otherwise calls that need no database, such as refused ones, would each end before the next is read, and never queue.
   */
  #release(ownerId: string, account: Account): void {
    if (this.options.whileCompeting?.contention.isNow()) setImmediate(() => this.#free(ownerId, account));
    else this.#free(ownerId, account);
  }

  #free(ownerId: string, account: Account): void {
    account.running -= 1;
    this.#startNext(account, this.#concurrencyNow(account));
    if (account.running === 0) this.#accounts.delete(ownerId);
  }

  /** Starts the first queued calls for which there are slots. */
  #startNext(account: Account, concurrency: number): void {
    for (const start of account.queue) {
      if (account.running >= concurrency) break;
      account.running += 1;
      start();
    }
  }
}
