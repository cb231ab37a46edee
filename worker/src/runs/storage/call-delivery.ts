import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresAnswer, PostgresFrame, StorageAnswer, StorageFrame } from '@trawl/contracts';
import type { Connection } from '../../platform/connection.js';
import { FrameRefused } from '../../platform/frame-refused.js';
import type { RunWaits } from '../waits.js';

/** How long a call is retried by default while the database is unreachable. */
export const WAIT_MS = 30_000;
const RETRY_MS = 1_000;

/** If the platform refuses the frame with one of these error codes, the skript gets the code on the right. */
const CODES: Record<string, string> = { invalid_frame: 'storage_rejected', unknown_run: 'run_ended' };

/** For each event: the part of its frame that depends on the call, and its answer. */
interface Calls {
  storage: { frame: Pick<StorageFrame, 'op'>; answer: StorageAnswer };
  postgres: { frame: Pick<PostgresFrame, 'op' | 'resend' | 'table' | 'packs_rows'>; answer: PostgresAnswer };
}

/** Delivers the database calls of one run to the platform. */
export class CallDelivery {
  #lastOp = 0;

  constructor(
    private readonly connection: Pick<Connection, 'deliver'>,
    private readonly run: { id: string; token: string },
    private readonly waits: RunWaits,
    private readonly over: AbortSignal,
    private readonly waitMs = WAIT_MS,
  ) {
    // Turn off Node's warning about more than ten listeners, because each pending call listens to the signal.
    setMaxListeners(0, over);
  }

  /**
   * Delivers a call and returns the answer. Repeats the call while the database is unreachable, so that the run survives
   * a restart of the database. Resolves with null if the run has ended in the meantime.
   *
   * @param frame builds the frame for each attempt; its argument is true if an earlier one may have been executed
   * @param mayBeDone whether a call may have been executed although the platform answers that the database is unreachable
   */
  async deliver<Event extends keyof Calls>(
    event: Event,
    frame: (isResend: boolean) => Calls[Event]['frame'],
    mayBeDone: boolean,
  ): Promise<Calls[Event]['answer'] | null> {
    const sent = { isResend: false };
    let answer = await this.#send(event, frame, sent);
    if (!isUnavailable(answer)) return answer;
    const endWait = this.waits.begin('storage_down');
    const deadline = performance.now() + this.waitMs;
    try {
      while (isUnavailable(answer) && performance.now() < deadline) {
        sent.isResend ||= mayBeDone;
        await delay(RETRY_MS, undefined, { signal: this.over }).catch(() => {});
        if (this.over.aborted) return null;
        answer = await this.#send(event, frame, sent);
      }
      return answer;
    } finally {
      endWait();
    }
  }

  async #send<Event extends keyof Calls>(
    event: Event,
    frame: (isResend: boolean) => Calls[Event]['frame'],
    sent: { isResend: boolean },
  ): Promise<Calls[Event]['answer'] | null> {
    this.#lastOp += 1;
    const op_id = this.#lastOp;
    const complete = (isResend: boolean) => {
      sent.isResend ||= isResend;
      return { ...this.run, op_id, ...frame(sent.isResend) };
    };
    try {
      return await this.connection.deliver(event, complete as never, this.over);
    } catch (error) {
      if (this.over.aborted) return null;
      if (!(error instanceof FrameRefused)) throw error;
      return { error: { ...error.refusal, code: CODES[error.code] ?? error.code } };
    }
  }
}

/** Returns the answer to a call that the worker refuses itself. */
export const refused = (code: string, message: string): { error: { code: string; message: string } } => ({
  error: { code, message },
});

const isUnavailable = (answer: StorageAnswer | PostgresAnswer | null): boolean =>
  answer !== null && 'error' in answer && answer.error.code === 'storage_unavailable';
