import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS, type PostgresAnswer, type PostgresOperation, postgresOperationSchema } from '@trawl/contracts';
import { type Connection, FrameRefused } from '../platform/connection.js';
import { WAIT_MS } from './storage-relay.js';
import type { RunWaits } from './waits.js';

/** Maximum number of pending PostgreSQL calls of a run. The real runner never has so many. */
const MAX_PENDING = 32;
const RETRY_MS = 1_000;
/** Size of a frame without its operation. */
const ENVELOPE_BYTES = 4_096;

/** Sends the PostgreSQL calls of one run to the platform and returns the answers. */
export class PostgresRelay {
  #lastOp = 0;
  #pending = 0;

  constructor(
    private readonly connection: Connection,
    private readonly run: { id: string; token: string },
    private readonly waits: RunWaits,
    private readonly over: AbortSignal,
  ) {
    // Turn off Node's warning about more than ten listeners, because each pending call listens to the signal.
    setMaxListeners(0, over);
  }

  /** Executes a call and returns the answer. Resolves with null if the run has ended in the meantime. */
  async call(raw: unknown): Promise<PostgresAnswer | null> {
    const call = postgresOperationSchema.safeParse(raw);
    if (!call.success) return refused('storage_rejected', 'The platform does not know this PostgreSQL call.');
    if (this.#pending >= MAX_PENDING)
      return refused('storage_rejected', 'The run has too many pending PostgreSQL calls.');
    if (Buffer.byteLength(JSON.stringify(call.data)) + ENVELOPE_BYTES > LIMITS.frameBytes) {
      return refused('storage_too_large', `A PostgreSQL call may have at most ${LIMITS.storageOperationBytes} bytes.`);
    }
    this.#pending += 1;
    try {
      return await this.#execute(call.data);
    } finally {
      this.#pending -= 1;
    }
  }

  /** Repeats a call while PostgreSQL is unreachable. The platform then has executed nothing for this call. */
  async #execute(op: PostgresOperation): Promise<PostgresAnswer | null> {
    const sent = { resend: false };
    let answer = await this.#send(op, sent);
    if (!isUnavailable(answer)) return answer;
    const endWait = this.waits.begin('storage_down');
    const deadline = performance.now() + WAIT_MS;
    try {
      while (isUnavailable(answer) && performance.now() < deadline) {
        await delay(RETRY_MS, undefined, { signal: this.over }).catch(() => {});
        if (this.over.aborted) return null;
        answer = await this.#send(op, sent);
      }
      return answer;
    } finally {
      endWait();
    }
  }

  /** @param sent whether the call may already have been executed; stays true once a frame got no answer */
  async #send(op: PostgresOperation, sent: { resend: boolean }): Promise<PostgresAnswer | null> {
    this.#lastOp += 1;
    const op_id = this.#lastOp;
    try {
      const frame = (sendings: number) => {
        sent.resend ||= sendings > 0;
        return { ...this.run, op_id, op, resend: sent.resend };
      };
      return await this.connection.deliver('postgres', frame, this.over);
    } catch (error) {
      if (this.over.aborted) return null;
      if (!(error instanceof FrameRefused)) throw error;
      return refused(CODES[error.code] ?? error.code, error.message);
    }
  }
}

/** If the platform refuses the frame with one of these error codes, the skript gets the code on the right. */
const CODES: Record<string, string> = { invalid_frame: 'storage_rejected', unknown_run: 'run_ended' };

const refused = (code: string, message: string): PostgresAnswer => ({ error: { code, message } });

const isUnavailable = (answer: PostgresAnswer | null): boolean =>
  answer !== null && 'error' in answer && answer.error.code === 'storage_unavailable';
