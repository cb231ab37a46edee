import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type StorageAnswer, type StorageOperation, storageOperationSchema } from '@trawl/contracts';
import { type Connection, FrameRefused } from '../platform/connection.js';
import type { RunWaits } from './waits.js';

/**
 * Maximum number of pending storage calls of a run. The real runner never has so many. When there are more, the worker
 * reads nothing from the run until answers arrive.
 */
const MAX_PENDING = 32;

/** How long a call is retried while the database is unreachable. */
export const WAIT_MS = 30_000;
const RETRY_MS = 1_000;

const callSchema = storageOperationSchema.omit({ args: true, resend: true });

type Call = Omit<StorageOperation, 'resend'>;

/** Sends the storage calls of one run to the platform and returns the answers. */
export class StorageRelay {
  readonly #connection: Connection;
  readonly #run: { id: string; token: string };
  readonly #waits: RunWaits;
  readonly #over: AbortSignal;
  #lastOp = 0;
  #pending = 0;
  #freed: (() => void)[] = [];

  constructor(connection: Connection, run: { id: string; token: string }, waits: RunWaits, over: AbortSignal) {
    this.#connection = connection;
    this.#run = run;
    this.#waits = waits;
    this.#over = over;
    // Turn off Node's warning about more than ten listeners, because each pending call listens to the signal.
    setMaxListeners(0, over);
  }

  get congested(): boolean {
    return this.#pending >= MAX_PENDING;
  }

  /** Resolves when the next answer arrives, or when `release` is called. */
  freed(): Promise<void> {
    return new Promise(resolve => this.#freed.push(resolve));
  }

  /**
   * Lets the worker continue to read from the run. Call it when the process has ended, because the rest of its pipes
   * must be read.
   */
  release(): void {
    const freed = this.#freed;
    this.#freed = [];
    for (const resolve of freed) resolve();
  }

  /**
   * Executes a storage call and returns the answer. Resolves with null if the run has ended in the meantime.
   *
   * @param raw the call as the run has sent it; it may be any value
   */
  async call(raw: unknown, args: Buffer): Promise<StorageAnswer | null> {
    const call = callSchema.safeParse(raw);
    if (!call.success) return refused('storage_rejected', 'The platform does not know this storage call.');
    this.#pending += 1;
    try {
      return await this.#execute({ ...call.data, args });
    } finally {
      this.#pending -= 1;
      this.release();
    }
  }

  /**
   * Executes a storage call. Repeats it while the database is unreachable, so that the run survives a restart of the
   * database.
   */
  async #execute(call: Call): Promise<StorageAnswer | null> {
    const sent = { resend: false };
    const answer = await this.#send(call, sent);
    if (answer === null || !isUnavailable(answer)) return answer;
    const endWait = this.#waits.begin('storage_down');
    try {
      return await this.#retry(call, sent, answer);
    } finally {
      endWait();
    }
  }

  async #retry(call: Call, sent: { resend: boolean }, first: StorageAnswer): Promise<StorageAnswer | null> {
    const deadline = performance.now() + WAIT_MS;
    let answer: StorageAnswer | null = first;
    while (answer !== null && isUnavailable(answer) && performance.now() < deadline) {
      // The call can be repeated without harm, because the database did nothing or the call is idempotent. Only an
      // insert needs `resend`, because its documents may already be in the database.
      sent.resend ||= call.method === 'insertMany';
      await delay(RETRY_MS, undefined, { signal: this.#over }).catch(() => {});
      if (this.#over.aborted) return null;
      answer = await this.#send(call, sent);
    }
    return answer;
  }

  async #send(call: Call, sent: { resend: boolean }): Promise<StorageAnswer | null> {
    this.#lastOp += 1;
    const op_id = this.#lastOp;
    try {
      return await this.#connection.deliver(
        'storage',
        sendings => {
          sent.resend ||= sendings > 0;
          return { ...this.#run, op_id, op: { ...call, resend: sent.resend } };
        },
        this.#over,
      );
    } catch (error) {
      if (this.#over.aborted) return null;
      if (!(error instanceof FrameRefused)) throw error;
      return refused(STORAGE_CODES[error.code] ?? error.code, error.message);
    }
  }
}

/** If the platform refuses the frame with one of these error codes, the skript gets the code on the right. */
const STORAGE_CODES: Record<string, string> = {
  invalid_frame: 'storage_rejected',
  unknown_run: 'run_ended',
};

const refused = (code: string, message: string): StorageAnswer => ({ error: { code, message } });

const isUnavailable = (answer: StorageAnswer): boolean =>
  'error' in answer && answer.error.code === 'storage_unavailable';
