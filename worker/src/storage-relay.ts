import { setMaxListeners } from 'node:events';
import { LIMITS, type StorageAnswer, storageOperationSchema } from '@trawl/contracts';
import { type Connection, FrameRefused } from './connection.js';
import type { StorageCall } from './pipe-messages.js';
import type { RunWaits } from './run-waits.js';

/** More than an honest runner has under way; a run that sends more is read no further until answers are there. */
const MAX_UNDER_WAY = 32;

/** How long a call waits for a database that cannot be reached, and the pause between two tries. */
export const WAIT_MS = 30_000;
const PAUSE_MS = 1_000;

const callSchema = storageOperationSchema.omit({ resend: true });

/** Takes the storage calls of one run to the platform and brings the answers back, while the run goes on. */
export class StorageRelay {
  readonly #connection: Connection;
  readonly #run: { id: string; token: string };
  readonly #waits: RunWaits;
  readonly #over: AbortSignal;
  #lastOp = 0;
  #underWay = 0;
  #freed: (() => void)[] = [];

  constructor(connection: Connection, run: { id: string; token: string }, waits: RunWaits, over: AbortSignal) {
    this.#connection = connection;
    this.#run = run;
    this.#waits = waits;
    this.#over = over;
    // Each call that waits for the platform listens to it; Node would warn of more than ten.
    setMaxListeners(0, over);
  }

  get congested(): boolean {
    return this.#underWay >= MAX_UNDER_WAY;
  }

  /** Resolves at the next answer, or at `release`. */
  freed(): Promise<void> {
    return new Promise(resolve => this.#freed.push(resolve));
  }

  /** For a process that is gone: the rest of what it has written is read now, whenever the answers come. */
  release(): void {
    const freed = this.#freed;
    this.#freed = [];
    for (const resolve of freed) resolve();
  }

  /** Null when the run ended meanwhile: there is no one to answer. */
  async call(raw: unknown): Promise<StorageAnswer | null> {
    const call = callSchema.safeParse(raw);
    if (!call.success) return refused('storage_rejected', 'This is no storage call that the platform knows.');
    const { args } = call.data;
    // In a frame the call's text is escaped once more, and a frame has its size.
    const frameBytes = Buffer.byteLength(JSON.stringify(args)) + 4_096;
    if (Buffer.byteLength(args) > LIMITS.storageOperationBytes || frameBytes > LIMITS.frameBytes) {
      return refused('storage_too_large', `A call may have ${LIMITS.storageOperationBytes} bytes of EJSON.`);
    }
    this.#underWay += 1;
    try {
      return await this.#give(call.data);
    } finally {
      this.#underWay -= 1;
      this.release();
    }
  }

  /** A database that is restarted is waited for, so that the run goes on afterwards as if nothing had been. */
  async #give(call: StorageCall): Promise<StorageAnswer | null> {
    const sent = { resend: false };
    const answer = await this.#send(call, sent);
    if (answer === null || !isUnavailable(answer)) return answer;
    const goesOn = this.#waits.begin('storage_down');
    try {
      return await this.#giveAgain(call, sent, answer);
    } finally {
      goesOn();
    }
  }

  async #giveAgain(call: StorageCall, sent: { resend: boolean }, first: StorageAnswer): Promise<StorageAnswer | null> {
    const giveUpAt = performance.now() + WAIT_MS;
    let answer: StorageAnswer | null = first;
    while (answer !== null && isUnavailable(answer) && performance.now() < giveUpAt) {
      // Nothing was done, or it does no harm twice: only an insert must know that it may find its own documents there.
      sent.resend ||= call.method === 'insertMany';
      await pause(PAUSE_MS, this.#over);
      if (this.#over.aborted) return null;
      answer = await this.#send(call, sent);
    }
    return answer;
  }

  async #send(call: StorageCall, sent: { resend: boolean }): Promise<StorageAnswer | null> {
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

/** Refusals of the frame itself, in the words of a storage call. */
const STORAGE_CODES: Record<string, string> = {
  invalid_frame: 'storage_rejected',
  unknown_run: 'run_ended',
};

const refused = (code: string, message: string): StorageAnswer => ({ error: { code, message } });

const isUnavailable = (answer: StorageAnswer): boolean =>
  'error' in answer && answer.error.code === 'storage_unavailable';

/** Also ends when the signal is aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
