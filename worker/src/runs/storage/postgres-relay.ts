import { LIMITS, type PostgresAnswer, type PostgresOperation, postgresOperationSchema } from '@trawl/contracts';
import { type CallDelivery, refused } from './call-delivery.js';
import type { RunWrites } from './run-writes.js';
import { TransactionWrites } from './transaction-writes.js';

/** Maximum number of pending PostgreSQL calls of a run. The real runner never has so many. */
const MAX_PENDING = 32;
/** Size of a frame without its operation. */
const ENVELOPE_BYTES = 4_096;

/** Sends the PostgreSQL calls of one run to the platform and returns the answers. */
export class PostgresRelay {
  #pending = 0;
  /** What each transaction has written. It counts when the transaction is committed. */
  readonly #transactions = new Map<string, TransactionWrites>();

  constructor(
    private readonly delivery: CallDelivery,
    private readonly writes: RunWrites,
  ) {}

  /**
   * Executes a call and returns the answer. Resolves with null if the run has ended in the meantime.
   *
   * @param raw the call as the run has sent it; it may be any value
   * @param bytes size of the call as the run has sent it
   */
  async call(raw: unknown, bytes: number): Promise<PostgresAnswer | null> {
    const call = postgresOperationSchema.safeParse(raw);
    if (!call.success) return refused('storage_rejected', 'The platform does not know this PostgreSQL call.');
    if (this.#pending >= MAX_PENDING)
      return refused('storage_rejected', 'The run has too many pending PostgreSQL calls.');
    if (bytes + ENVELOPE_BYTES > LIMITS.frameBytes) {
      return refused('storage_too_large', `A PostgreSQL call may have at most ${LIMITS.storageOperationBytes} bytes.`);
    }
    this.#pending += 1;
    try {
      const { op, table } = withoutTable(call.data);
      const answer = await this.delivery.deliver(
        'postgres',
        resend => ({ op, resend, table, packs_rows: true }),
        false,
      );
      if (answer) this.#count(call.data, answer);
      return answer;
    } finally {
      this.#pending -= 1;
    }
  }

  #count(op: PostgresOperation, answer: PostgresAnswer): void {
    if (op.method === 'query' && op.transaction === undefined) this.writes.addPostgres(op.table, answer);
    else if (op.method === 'query' && op.transaction !== undefined && 'result' in answer) {
      const writes = this.#transactions.get(op.transaction) ?? new TransactionWrites();
      this.#transactions.set(op.transaction, writes);
      if (writes.add(op, answer)) this.#endTransaction(op.transaction, true);
    } else if (op.method === 'commit' || op.method === 'rollback') {
      this.#endTransaction(op.transaction, op.method === 'commit' && 'result' in answer);
    }
  }

  #endTransaction(id: string, isCommitted: boolean): void {
    const writes = this.#transactions.get(id);
    this.#transactions.delete(id);
    if (writes && isCommitted) this.writes.addAll(writes.total);
  }
}

/** Older platforms refuse an operation with the table, but ignore it beside the operation. */
function withoutTable(op: PostgresOperation): { op: PostgresOperation; table?: string | undefined } {
  if (op.method !== 'query') return { op };
  const { table, ...sent } = op;
  return { op: sent, table };
}
