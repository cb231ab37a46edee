import {
  isPoliteOperation,
  isProxyOperation,
  isQueueOperation,
  isSessionOperation,
  type PoliteOperation,
  type ProxyOperation,
  politeOperationSchema,
  proxyOperationSchema,
  type QueueOperation,
  queueOperationSchema,
  type SessionOperation,
  type StorageAnswer,
  sessionOperationSchema,
  storageOperationSchema,
  type TakenProxies,
} from '@trawl/contracts';
import { deserialize } from 'bson';
import * as z from 'zod';
import type { Redaction } from '../../redaction/redaction.js';
import { type CallDelivery, refused } from './call-delivery.js';
import type { RunWrites } from './run-writes.js';

/**
 * Maximum number of pending storage calls of a run. The real runner never has so many. When there are more, the worker
 * reads nothing from the run until answers arrive.
 */
const MAX_PENDING = 32;

/** The largest number that a frame can hold. The run may say any number. */
const MAX_ROWS = 2 ** 31 - 1;

/** `uncounted`: the call moves a part of a value, of which another call counts the whole. The platform does not get it. */
const callSchema = z.union([
  storageOperationSchema.omit({ args: true, resend: true }).extend({ uncounted: z.boolean().optional() }),
  sessionOperationSchema.omit({ args: true, resend: true }),
  queueOperationSchema.omit({ args: true, resend: true }),
  politeOperationSchema.omit({ args: true, resend: true }),
  proxyOperationSchema.omit({ args: true, resend: true }),
]);

type WithoutBytes<Operation> = Omit<Operation, 'args' | 'resend'>;

/** Sends the storage calls of one run to the platform and returns the answers. */
export class StorageRelay {
  readonly #delivery: CallDelivery;
  readonly #writes: RunWrites;
  readonly #redaction: Redaction;
  #pending = 0;
  /** Number of rows after the latest insert that succeeded, as the run counts them. */
  #rows = 0;
  /** Rows that failed inserts have stored. The run does not count them. */
  #uncountedRows = 0;
  #freed: (() => void)[] = [];

  /** @param redaction learns the values of sessions and the passwords of proxies that the run uses */
  constructor(delivery: CallDelivery, writes: RunWrites, redaction: Redaction) {
    this.#delivery = delivery;
    this.#writes = writes;
    this.#redaction = redaction;
  }

  /** Number of rows that the run has stored. */
  get rows(): number {
    return Math.min(this.#rows + this.#uncountedRows, MAX_ROWS);
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
      // The database may have executed an insert before it became unreachable. All other calls either did nothing or are
      // idempotent.
      const mayBeDone = call.data.method === 'insertMany';
      if (isSessionOperation(call.data)) return await this.#callSession(call.data, args);
      if (isProxyOperation(call.data)) return await this.#callProxies(call.data, args);
      if (isQueueOperation(call.data) || isPoliteOperation(call.data)) return await this.#callOnce(call.data, args);
      const { uncounted: _, ...op } = call.data;
      const frame = (resend: boolean) => ({ op: { ...op, args, resend } });
      const answer = await this.#delivery.deliver('storage', frame, mayBeDone);
      if (answer) this.#writes.addMongo(call.data, answer);
      if (answer && op.rows !== undefined) this.#countRows(op.rows, answer);
      return answer;
    } finally {
      this.#pending -= 1;
      this.release();
    }
  }

  #callOnce(
    op: WithoutBytes<QueueOperation> | WithoutBytes<PoliteOperation> | WithoutBytes<ProxyOperation>,
    args: Buffer,
  ): Promise<StorageAnswer | null> {
    return this.#delivery.deliver('storage', resend => ({ op: { ...op, args, resend } }), false);
  }

  async #callProxies(op: WithoutBytes<ProxyOperation>, args: Buffer): Promise<StorageAnswer | null> {
    const answer = await this.#callOnce(op, args);
    if (op.method === 'takeProxies' && answer && 'result' in answer) {
      const { proxies }: TakenProxies = JSON.parse(Buffer.from(answer.result).toString());
      for (const { url } of proxies) this.#redaction.addAddress(url);
    }
    return answer;
  }

  async #callSession(op: Omit<SessionOperation, 'args' | 'resend'>, args: Buffer): Promise<StorageAnswer | null> {
    if (op.method === 'saveSession') this.#redact(args);
    const answer = await this.#delivery.deliver('storage', resend => ({ op: { ...op, args, resend } }), true);
    if (op.method === 'openSession' && answer && 'result' in answer) this.#redact(answer.result);
    return answer;
  }

  /** @param message BSON, which a run may have written */
  #redact(message: Uint8Array): void {
    let value: unknown;
    try {
      ({ value } = deserialize(message));
    } catch {
      return;
    }
    if (typeof value === 'string') this.#redaction.addSession(value);
  }

  #countRows(rows: number, answer: StorageAnswer): void {
    if ('error' in answer) this.#uncountedRows += answer.error.inserted_count ?? 0;
    else this.#rows = rows;
  }
}
