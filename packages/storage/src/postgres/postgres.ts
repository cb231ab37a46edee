import { checkOptions } from '../check-options.js';
import { call } from './postgres-port.js';
import type { Row } from './results.js';
import { RowCursor } from './row-cursor.js';
import { statements, type Transaction } from './transaction.js';

export type { Row, RowCursor, Transaction };

const DEFAULT_BATCH_SIZE = 1_000;

/** The user's PostgreSQL database. */
export const postgres: Transaction & {
  /**
   * Executes `work` in a transaction. Commits when the promise of `work` resolves, rolls back when it rejects. The
   * transaction ends if it executes nothing for 10 seconds.
   *
   * @returns the result of `work`
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result> | Result): Promise<Result>;
  /**
   * Reads the rows of a statement page by page: `for await (const row of postgres.cursor('SELECT …'))`. Closes when no
   * page is read for 60 seconds; use a smaller `batchSize` if you work long on each row.
   */
  cursor<R extends Row = Row>(text: string, params?: unknown[], options?: { batchSize?: number }): RowCursor<R>;
} = {
  ...statements(),
  cursor(text, params = [], options = {}) {
    checkOptions(options, 'postgres.cursor', '{ batchSize: 100 }');
    return new RowCursor(text, params, options.batchSize ?? DEFAULT_BATCH_SIZE);
  },
  async transaction(work) {
    const begun = await call<{ transaction: string; xid: string | null }>('transaction', { method: 'begin' });
    const { transaction } = begun;
    let result: Awaited<ReturnType<typeof work>>;
    try {
      result = await work(statements(transaction));
    } catch (error) {
      // The platform rolls back in any case. Report the error of `work`, which says more.
      await call('transaction', { method: 'rollback', transaction }).catch(() => {});
      throw error;
    }
    await call('transaction', { method: 'commit', ...begun });
    return result;
  },
};
