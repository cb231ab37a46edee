import { Injectable, Logger } from '@nestjs/common';
import { LIMITS, type PostgresAnswer, type PostgresOperation, type PostgresResult } from '@trawl/contracts';
import { ApiError } from '../../../platform/common/errors.js';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import type { CallLimits } from '../sessions/call-guard.js';
import { isLost, PostgresFailure, toPostgresFailure } from '../sessions/postgres-failures.js';
import { LostCommit, type ResultLimits, type Session } from '../sessions/session.js';
import { TransactionOutcomesService } from '../sessions/transaction-outcomes.service.js';
import { UserSessionsService } from '../sessions/user-sessions.service.js';
import { tooLarge, type UserStatementResult, UserStatementsService } from '../sessions/user-statements.service.js';
import { PostgresUsageService } from '../usage/postgres-usage.service.js';
import type { HeldSession, HeldTransaction, WorkerConnection } from './held-session.js';
import { HeldSessionsService } from './held-sessions.service.js';
import { readPage } from './read-page.js';

type Operation<Method> = Extract<PostgresOperation, { method: Method }>;

const RESULT: ResultLimits = { rows: 100_000, bytes: LIMITS.storageOperationBytes };
const READ_ONLY_TRANSACTION = '25006';

type Executed = Omit<UserStatementResult, 'typeNames'>;

/** The run whose operation is executed. */
export interface PostgresCaller {
  ownerId: string;
  executionId: string;
  connection: WorkerConnection;
  /** Whether the run is a replay, whose statements change nothing. */
  mayOnlyRead?: boolean;
}

/** Executes the PostgreSQL operations of runs. A run reaches only the database of its owner. */
@Injectable()
export class PostgresOperationsService {
  readonly #log = new Logger(PostgresOperationsService.name);

  constructor(
    private readonly statements: UserStatementsService,
    private readonly sessions: UserSessionsService,
    private readonly outcomes: TransactionOutcomesService,
    private readonly usage: PostgresUsageService,
    private readonly held: HeldSessionsService,
  ) {}

  /**
   * Executes one operation. Never throws: in case of an error, the answer has a message for the owner of the run.
   * @param resend whether the operation was sent before, without an answer.
   */
  async run(caller: PostgresCaller, op: PostgresOperation, resend: boolean): Promise<PostgresAnswer> {
    try {
      return { result: await this.#execute(caller, op, resend) };
    } catch (error) {
      return { error: this.#toError(error) };
    }
  }

  /** Rolls back what a run that has ended left open. */
  end(executionId: string): Promise<void> {
    return this.held.endOf(executionId);
  }

  #execute(caller: PostgresCaller, op: PostgresOperation, resend: boolean): Promise<PostgresResult> {
    switch (op.method) {
      case 'query':
        if (op.transaction !== undefined) return this.#queryIn(caller, op, op.transaction);
        return resend ? this.#repeat(caller, op) : this.#query(caller, op, caller.mayOnlyRead ?? false);
      case 'begin':
        return this.#begin(caller);
      case 'commit':
        return this.#commit(caller, op);
      case 'rollback':
        return this.#rollback(caller, op.transaction);
      case 'open':
        return this.#open(caller, op);
      case 'next':
        return this.#next(caller, op.cursor);
      case 'close':
        return this.#close(caller, op.cursor);
    }
  }

  async #query({ ownerId }: PostgresCaller, op: Operation<'query'>, readOnly: boolean): Promise<PostgresResult> {
    const { text, params } = op;
    const call = { text, params, readOnly, table: tableIn(op), limits: RESULT, isWholeResultNeeded: true };
    return resultOf(await this.statements.run(ownerId, call));
  }

  /** Repeats a statement whose answer was lost. It is read-only, because the first one may have changed data. */
  async #repeat(caller: PostgresCaller, op: Operation<'query'>): Promise<PostgresResult> {
    try {
      return await this.#query(caller, op, true);
    } catch (error) {
      if (!(error instanceof PostgresFailure) || error.sqlState !== READ_ONLY_TRANSACTION) throw error;
      throw new StorageFailure(
        'storage_outcome_unknown',
        'The connection broke before the answer arrived, so the statement may have changed data. Trawl did not repeat it, because a repeat could change the data twice.',
      );
    }
  }

  /**
   * Opens a session for a transaction or a cursor and executes `work` with it. Gives the session back if `work` fails, or
   * if the run or its connection has ended.
   */
  #openSession(
    { ownerId, executionId, connection }: PostgresCaller,
    work: (session: Session, signal: AbortSignal) => Promise<PostgresResult>,
  ): Promise<PostgresResult> {
    return this.held.whileWanted(executionId, connection, async signal => {
      const session = await this.sessions.open(ownerId);
      try {
        signal.throwIfAborted();
        return await work(session, signal);
      } catch (error) {
        await session.release();
        throw error;
      }
    });
  }

  #begin(caller: PostgresCaller): Promise<PostgresResult> {
    const { ownerId, executionId, connection, mayOnlyRead } = caller;
    return this.#openSession(caller, async (session, signal) => {
      const isFull = mayOnlyRead || (await this.usage.fullness(ownerId)) !== null;
      const xid = await session.within(this.#limits(signal, null), async () => {
        if (!isFull) return session.beginWithId();
        await session.begin('read');
        return null;
      });
      signal.throwIfAborted();
      return { transaction: this.held.hold(executionId, connection, session, { kind: 'transaction', xid }).id, xid };
    });
  }

  async #queryIn(caller: PostgresCaller, op: Operation<'query'>, id: string): Promise<PostgresResult> {
    const held = this.held.find('transaction', caller.executionId, caller.connection, id);
    const fullness = held ? await this.usage.fullness(caller.ownerId) : null;
    const isReading = held?.what.xid === null;
    if (fullness && !isReading) {
      await held?.end();
      throw fullness;
    }
    const check = held && (await this.#check(caller, held.what));
    const result = await held?.use(() =>
      endingIfGone(held, () =>
        held.session.within(this.#limits(held.signal, check ?? null), async () => {
          const executed = isReading
            ? await executeReading(held.session, op, fullness ?? wasFull())
            : await held.session.execute(op.text, op.params, RESULT, { table: tableIn(op) });
          if (await hasEnded(held.session, held.what, executed.command)) void held.end();
          if (executed.truncated) {
            // The statement has changed data although the call fails. PostgreSQL must not commit that.
            if (held.session.transactionStatus === 'T') await held.session.fail();
            throw tooLarge(RESULT);
          }
          return executed;
        }),
      ),
    );
    this.usage.markChanged(caller.ownerId);
    if (!result) throw transactionLost();
    return resultOf(result);
  }

  async #commit(caller: PostgresCaller, { transaction, xid }: Operation<'commit'>): Promise<PostgresResult> {
    const held = this.held.find('transaction', caller.executionId, caller.connection, transaction);
    // Deferred triggers of the user may write here.
    const check = held && (await this.#check(caller, held.what));
    let isCommitted: boolean | undefined;
    let reason: StorageFailure | undefined;
    try {
      isCommitted = await held?.use(() =>
        held.session.within(this.#limits(held.signal, check ?? null), () =>
          held.what.xid === null ? held.session.endReading() : held.session.commit(),
        ),
      );
    } catch (error) {
      if (!(error instanceof LostCommit) && !isLost(error)) throw error;
      reason = (error as LostCommit).reason;
    } finally {
      void held?.end();
      this.usage.markChanged(caller.ownerId);
    }
    if (isCommitted === true) return {};
    if (isCommitted === false) throw transactionLost('because a statement in it failed');
    return this.#findOutcome(caller.ownerId, xid, reason);
  }

  /** Finds out whether a transaction was committed whose session is gone. */
  async #findOutcome(ownerId: string, xid: string | null, reason?: StorageFailure): Promise<PostgresResult> {
    // A transaction that only reads has nothing to lose.
    if (xid === null) return {};
    const outcome = await this.outcomes.find(ownerId, xid);
    if (outcome === 'unknown') throw new LostCommit();
    if (outcome === 'aborted') throw reason ?? transactionLost();
    return {};
  }

  /** Returns the check for calls of a transaction. */
  async #check({ ownerId }: PostgresCaller, { xid }: HeldTransaction): Promise<CallLimits['check']> {
    return xid === null ? this.usage.readingCheck(ownerId) : this.usage.growthCheck(ownerId);
  }

  #open(caller: PostgresCaller, { text, params, batch_size }: Operation<'open'>): Promise<PostgresResult> {
    const { ownerId, executionId, connection } = caller;
    return this.#openSession(caller, async (session, signal) => {
      const open = { kind: 'cursor' as const, batchSize: batch_size, unsent: [] };
      const { page, cursor } = await session.within(
        this.#limits(signal, this.usage.readingCheck(ownerId)),
        async () => {
          await session.begin('read');
          const opened = { ...open, cursor: session.open(text, params) };
          return { page: await readPage(session, opened), cursor: opened };
        },
      );
      signal.throwIfAborted();
      if (!page.isLast) return { ...page.rows, cursor: this.held.hold(executionId, connection, session, cursor).id };
      await session.release();
      return { ...page.rows, cursor: null };
    });
  }

  async #next({ ownerId, executionId, connection }: PostgresCaller, id: string): Promise<PostgresResult> {
    const held = this.held.find('cursor', executionId, connection, id);
    const page = await held?.use(() =>
      endingIfFailed(held, () =>
        held.session.within(this.#limits(held.signal, this.usage.readingCheck(ownerId)), () =>
          readPage(held.session, held.what),
        ),
      ),
    );
    if (!held || !page) {
      throw new StorageFailure(
        'storage_cursor_lost',
        'The cursor is closed: it was idle for 60 s, or a connection broke. Run the query again.',
      );
    }
    if (page.isLast) void held.end();
    return { ...page.rows, cursor: page.isLast ? null : id };
  }

  async #rollback({ executionId, connection }: PostgresCaller, id: string): Promise<PostgresResult> {
    await this.held.find('transaction', executionId, connection, id)?.end();
    return {};
  }

  /** The library closes a cursor without waiting for the page that it has requested ahead. */
  async #close({ executionId, connection }: PostgresCaller, id: string): Promise<PostgresResult> {
    await this.held.find('cursor', executionId, connection, id)?.abort();
    return {};
  }

  #limits(signal: AbortSignal, check: CallLimits['check']): CallLimits {
    return { timeMs: this.statements.statementMs, signal, check };
  }

  #toError(error: unknown): Extract<PostgresAnswer, { error: unknown }>['error'] {
    if (error instanceof ApiError) {
      // Report a full queue as unavailable, because the worker retries unavailable operations for a while.
      const isBusy = error.code === 'too_many_requests';
      return { code: isBusy ? 'storage_unavailable' : 'storage_rejected', message: error.message };
    }
    const failure = toPostgresFailure(error);
    if (!failure) {
      this.#log.error(error);
      return { code: 'storage_rejected', message: 'Trawl failed to execute the operation. Its log has the details.' };
    }
    const { code, message } = failure;
    if (!(failure instanceof PostgresFailure)) return { code, message };
    const { sqlState, position } = failure;
    return { code, message, sql_state: sqlState, ...(position === undefined ? {} : { position }) };
  }
}

/**
 * Executes a statement in a transaction that may only read. Makes the transaction fail if the statement has changed
 * something, because the next one may be the user's own COMMIT. Only a transaction that changes something has an id:
 * PostgreSQL lets `EXPLAIN ANALYZE CREATE TABLE … AS` create its table in a read-only one, too.
 * @throws `refusal` for a statement that writes
 */
async function executeReading(
  session: Session,
  op: Operation<'query'>,
  refusal: StorageFailure,
): ReturnType<Session['execute']> {
  try {
    const executed = await session.execute(op.text, op.params, RESULT, { withTransactionId: true, table: tableIn(op) });
    if (executed.transactionId === null) return executed;
    throw refusal;
  } catch (error) {
    if (!isLost(error)) await session.fail();
    throw (error as { code?: unknown }).code === READ_ONLY_TRANSACTION ? refusal : error;
  }
}

/** Returns the name, as in SQL, of the table that the library knows. */
const tableIn = ({ table }: Operation<'query'>): string | undefined =>
  table
    ?.split('.')
    .map(name => `"${name.replaceAll('"', '""')}"`)
    .join('.');

function resultOf({ fields, rows, row_count, command, table }: Executed): PostgresResult {
  const name = table && (table.schema === 'public' ? table.name : `${table.schema}.${table.name}`);
  return { fields, rows, row_count, command, ...(name && { table: name }) };
}

/** Returns whether a statement of the user has ended the transaction that Trawl began. */
async function hasEnded(session: Session, { xid }: HeldTransaction, command: string): Promise<boolean> {
  if (session.transactionStatus === 'I') return true;
  // `COMMIT AND CHAIN` begins another transaction. `ROLLBACK TO SAVEPOINT` does not end this one.
  if (command === 'COMMIT') return true;
  if (command !== 'ROLLBACK') return false;
  return xid === null || !(await session.isIn(xid));
}

/**
 * Ends the held session if its transaction is gone after an error. PostgreSQL has rolled it back if the connection broke,
 * and if the skript's own COMMIT or PREPARE TRANSACTION failed: later statements would be committed one by one.
 */
async function endingIfGone<T>(held: HeldSession, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (held.session.isBroken || (await held.session.hasNoTransaction())) void held.end();
    throw isLost(error) ? transactionLost() : error;
  }
}

async function endingIfFailed<T>(held: HeldSession, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    void held.end();
    throw error;
  }
}

const wasFull = (): StorageFailure =>
  new StorageFailure(
    'storage_full',
    'The transaction only reads, because your storage was full when it began. Begin another transaction.',
  );

const transactionLost = (
  why = 'It was idle for 10 s, a connection broke, or the skript itself executed COMMIT or ROLLBACK',
): StorageFailure =>
  new StorageFailure(
    'storage_transaction_lost',
    why.startsWith('because')
      ? `PostgreSQL rolled the transaction back ${why}.`
      : `The transaction has ended. ${why}. Execute it again, with statements that Trawl can commit.`,
  );
