import type { Duplex } from 'node:stream';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import { RunawayFailure } from '../server/runaways.service.js';

/** Resolves, after `terminate`, to the failure to report if the session goes on. */
export type InterruptSession = (how: 'cancel' | 'terminate') => Promise<StorageFailure | null>;

export interface CallLimits {
  /** The call is cancelled after this time. */
  timeMs: number;
  /** Cancels the call when it aborts. */
  signal?: AbortSignal | undefined;
  /** Asked every second; a failure cancels the call. Null only for calls that execute nothing of the user. */
  check: (() => Promise<StorageFailure | null>) | null;
}

/** How long a cancelled session may take to stop. A user's function can catch a cancellation and continue. */
const TERMINATE_AFTER_MS = 2_000;
const CHECK_MS = 1_000;
/** PostgreSQL sends a row as a whole. If a call receives more bytes than this, its connection is closed. */
const MAX_RECEIVED_BYTES = 20 * 1024 * 1024;

/**
 * Keeps the limits of one call in the backend, because users can change every limit of their own session in PostgreSQL.
 * When a limit is reached, the guard cancels the call, then ends the session.
 * See docs/decisions/0480-walls-in-each-database-of-a-user.md.
 */
export class CallGuard {
  /** Why the guard interrupted the call. */
  failure: StorageFailure | undefined;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #interrupts: Promise<void>[] = [];
  #received = 0;
  #isChecking = false;

  constructor(
    private readonly stream: Duplex,
    private readonly interruptSession: InterruptSession,
    private readonly limits: CallLimits,
  ) {
    const { timeMs, signal, check } = limits;
    const seconds = timeMs / 1_000;
    this.#timers.push(
      setTimeout(
        () =>
          this.#interrupt(
            'storage_rejected',
            `The statement did not finish within ${seconds} s`,
            ', so Trawl cancelled it.',
          ),
        timeMs,
      ),
    );
    if (check) this.#timers.push(setInterval(() => void this.#check(check), CHECK_MS));
    stream.on('data', this.#count);
    signal?.addEventListener('abort', this.#abort);
  }

  /** Ends the guard. Resolves when no interruption is on its way to the session. */
  async end(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.stream.off('data', this.#count);
    this.limits.signal?.removeEventListener('abort', this.#abort);
    await Promise.all(this.#interrupts);
  }

  /** Starts to count the received bytes anew. */
  resetReceived(): void {
    this.#received = 0;
  }

  readonly #abort = (): void => this.#interrupt('storage_rejected', 'The statement was cancelled');

  readonly #count = (chunk: Buffer): void => {
    this.#received += chunk.length;
    if (this.#received <= MAX_RECEIVED_BYTES || this.failure) return;
    this.failure = new StorageFailure(
      'storage_too_large',
      `PostgreSQL sent more than ${MAX_RECEIVED_BYTES} bytes for a few rows. Select fewer columns, or parts of the values.`,
    );
    this.#terminate('The call was ended');
  };

  async #check(check: NonNullable<CallLimits['check']>): Promise<void> {
    // A check of a large database may take longer than the time until the next one.
    if (this.#isChecking) return;
    this.#isChecking = true;
    const failure = await check().catch(() => null);
    this.#isChecking = false;
    if (failure) this.#interrupt(failure.code, failure.message, '');
  }

  /** @param outcome the end of the sentence that begins with `what`, if PostgreSQL stops the call. */
  #interrupt(code: StorageFailure['code'], what: string, outcome = '.'): void {
    if (this.failure) return;
    this.failure = new StorageFailure(code, `${what}${outcome}`);
    this.#interrupts.push(this.interruptSession('cancel').then(() => undefined));
    this.#timers.push(setTimeout(() => this.#terminate(what), TERMINATE_AFTER_MS));
  }

  /** Ends the session. A call that goes on after that must not be reported as cancelled. */
  #terminate(what: string): void {
    this.#interrupts.push(
      this.interruptSession('terminate').then(failure => {
        if (failure) this.failure = new RunawayFailure(`${what.replace(/\.$/, '')}. ${failure.message}`);
      }),
    );
    this.stream.destroy();
  }
}
