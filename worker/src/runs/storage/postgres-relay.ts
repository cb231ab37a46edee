import { LIMITS, type PostgresAnswer, postgresOperationSchema } from '@trawl/contracts';
import { type CallDelivery, refused } from './call-delivery.js';

/** Maximum number of pending PostgreSQL calls of a run. The real runner never has so many. */
const MAX_PENDING = 32;
/** Size of a frame without its operation. */
const ENVELOPE_BYTES = 4_096;

/** Sends the PostgreSQL calls of one run to the platform and returns the answers. */
export class PostgresRelay {
  #pending = 0;

  constructor(private readonly delivery: CallDelivery) {}

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
      return await this.delivery.deliver('postgres', resend => ({ op: call.data, resend }), false);
    } finally {
      this.#pending -= 1;
    }
  }
}
