import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import { PostgresDatabasesService } from '../databases/postgres-databases.service.js';
import { RunawaysService } from '../server/runaways.service.js';
import { PostgresUsageService } from '../usage/postgres-usage.service.js';
import type { CallLimits } from './call-guard.js';
import { PostgresFailure, toPostgresFailure } from './postgres-failures.js';
import { BEGIN, LostCommit, type ResultLimits, type Session, type StatementResult } from './session.js';
import type { StatementCursor } from './statement-cursor.js';
import { TransactionOutcomesService } from './transaction-outcomes.service.js';
import { UserSessionsService } from './user-sessions.service.js';

export interface UserStatement {
  text: string;
  params: (string | null)[];
  readOnly: boolean;
  limits: ResultLimits;
  /** Name of the session in PostgreSQL during the statement, by which `cancel` finds it. */
  label?: string;
  signal?: AbortSignal;
  withTypeNames?: boolean;
  /** Name, as in SQL, of the table that the statement writes to. */
  table?: string | undefined;
  /** True if a result with more than `limits` is an error. Then the statement is rolled back. */
  isWholeResultNeeded?: boolean;
}

export interface UserStatementResult extends StatementResult {
  /** Names of the types of `fields`, if `withTypeNames` asked for them. */
  typeNames: string[];
  /** The table that `table` names; null without it. */
  table: StatementCursor['table'];
}

/** Time limit of one statement. */
export const STATEMENT_MS = 30_000;
/** Number of parameters of one statement. PostgreSQL's own limit is 65,535. */
export const MAX_PARAMS = 10_000;
const SHRINKS = /^\s*(delete|truncate|drop|vacuum)\b/i;
/** Those that execute no triggers of the user. */
const ONLY_SHRINKS = /^\s*(drop|vacuum)\b/i;
const IS_VACUUM = /^\s*vacuum\b/i;
const CALLS_FUNCTIONS = /\b(full|analy[sz]e)\b/i;
const READ_ONLY_TRANSACTION = '25006';
const CANCELLED = '57014';
/** How long `cancel` waits before it asks again whether PostgreSQL has begun a statement that was sent. */
const BEGINS_MS = 50;

/** A statement of this process that `cancel` can name. */
interface LabelledStatement {
  ownerId: string;
  label: string;
  /** False while the statement waits, for example for a session. */
  isSent: boolean;
  isCancelled: boolean;
  /** True once it has ended without an error. */
  hasSucceeded: boolean;
}

/**
 * Executes single statements of users, each in a transaction of its own.
 * See docs/decisions/0138-transactions-of-users.md.
 */
@Injectable()
export class UserStatementsService {
  /** Time limit of a statement. Tests shorten it. */
  statementMs = STATEMENT_MS;
  readonly #labelled = new Set<LabelledStatement>();

  constructor(
    private readonly databases: PostgresDatabasesService,
    private readonly runaways: RunawaysService,
    private readonly sessions: UserSessionsService,
    private readonly outcomes: TransactionOutcomesService,
    private readonly usage: PostgresUsageService,
  ) {}

  /**
   * Executes one statement. When the account's quota is used up, it can only read, or make the database smaller.
   * @throws {StorageFailure} for everything that the user can cause; {ApiError} 429.
   */
  async run(ownerId: string, statement: UserStatement): Promise<UserStatementResult> {
    const { label } = statement;
    if (label === undefined) return this.#run(ownerId, statement);
    const labelled: LabelledStatement = { ownerId, label, isSent: false, isCancelled: false, hasSucceeded: false };
    this.#labelled.add(labelled);
    try {
      const result = await this.#run(ownerId, statement, labelled);
      labelled.hasSucceeded = true;
      return result;
    } finally {
      this.#labelled.delete(labelled);
    }
  }

  async #run(ownerId: string, statement: UserStatement, labelled?: LabelledStatement): Promise<UserStatementResult> {
    const { text, readOnly, signal } = statement;
    const fullness = readOnly ? null : await this.usage.fullness(ownerId);
    const isWrite = !readOnly && (!fullness || SHRINKS.test(text));
    const done: { result?: UserStatementResult; xid?: string | null } = {};
    try {
      return await this.sessions.use(ownerId, async session => {
        const limits = { timeMs: this.statementMs, signal };
        const called = isWrite ? await calledByVacuum(session, text, limits) : null;
        if (fullness && called !== null) throw writingVacuum(called);
        const check = isWrite
          ? await this.#growthCheck(ownerId, text, fullness, called !== null)
          : this.usage.readingCheck(ownerId);
        return session.within({ ...limits, check }, async () => {
          const { transactionId, ...result } = await this.#execute(session, statement, isWrite, labelled);
          const failure = fullness && (await check?.());
          if (failure) throw failure;
          const typeNames = statement.withTypeNames ? await session.typeNames(result.fields) : [];
          done.result = { ...result, typeNames };
          done.xid = transactionId;
          if (isWrite) await session.commit();
          else await session.endReading();
          return done.result;
        });
      });
    } catch (error) {
      if (error instanceof LostCommit && done.result) return this.#resultOf(ownerId, error, done.result, done.xid);
      const failure = toPostgresFailure(error);
      const isRefusedWrite = failure instanceof PostgresFailure && failure.sqlState === READ_ONLY_TRANSACTION;
      throw (isRefusedWrite ? fullness : null) ?? failure ?? error;
    } finally {
      if (isWrite) this.usage.markChanged(ownerId);
    }
  }

  /**
   * Cancels the statements with one of these labels. Those of this process that wait are never sent to PostgreSQL.
   * Returns false if there is none.
   * @throws {StorageFailure} if PostgreSQL has not stopped them.
   */
  async cancel(ownerId: string, labels: string[]): Promise<boolean> {
    const own = [...this.#labelled].filter(({ ownerId: owner, label }) => owner === ownerId && labels.includes(label));
    const waiting = own.filter(({ isSent }) => !isSent);
    for (const statement of waiting) statement.isCancelled = true;
    const name = await this.databases.find(ownerId);
    let isCancelled = waiting.length > 0;
    for (;;) {
      // PostgreSQL may not have begun a statement that was just sent.
      if (name && (await this.runaways.cancel(name, labels))) isCancelled = true;
      if (!own.some(statement => statement.isSent && this.#labelled.has(statement))) break;
      await delay(BEGINS_MS);
    }
    // A statement may have ended at the moment of the cancellation.
    return isCancelled && !own.some(({ hasSucceeded }) => hasSucceeded);
  }

  async #execute(
    session: Session,
    statement: UserStatement,
    isWrite: boolean,
    labelled?: LabelledStatement,
  ): ReturnType<Session['execute']> {
    const { text, params, limits, table, isWholeResultNeeded } = statement;
    if (labelled) await session.name(labelled.label);
    // VACUUM cannot run in a transaction.
    const isVacuum = isWrite && IS_VACUUM.test(text);
    if (isVacuum) await session.prepareVacuum();
    const before = isVacuum ? [] : BEGIN[isWrite ? 'write' : 'read'];
    if (labelled) {
      if (labelled.isCancelled) throw cancelledWhileWaiting();
      labelled.isSent = true;
    }
    const result = await session.execute(text, params, limits, { before, withTransactionId: isWrite, table });
    if (result.truncated && isWholeResultNeeded) throw tooLarge(limits);
    return result;
  }

  /** Returns the result of a statement whose COMMIT got no answer, if PostgreSQL has committed it. */
  async #resultOf(
    ownerId: string,
    lost: LostCommit,
    result: UserStatementResult,
    xid: string | null = null,
  ): Promise<UserStatementResult> {
    const notDone = lost.reason ?? new StorageFailure('storage_unavailable', 'PostgreSQL cannot be reached right now.');
    if (xid === null) throw notDone;
    const outcome = await this.outcomes.find(ownerId, xid).catch(() => 'unknown');
    if (outcome === 'unknown') throw lost;
    if (outcome === 'aborted') throw notDone;
    return result;
  }

  async #growthCheck(
    ownerId: string,
    text: string,
    fullness: StorageFailure | null,
    isCallingUserCode: boolean,
  ): Promise<CallLimits['check']> {
    // VACUUM FULL has two copies of a table for a while.
    if (!fullness) return IS_VACUUM.test(text) && !isCallingUserCode ? null : this.usage.growthCheck(ownerId);
    return ONLY_SHRINKS.test(text) ? null : this.usage.shrinkCheck(ownerId, fullness);
  }
}

/** Returns what makes a VACUUM call functions of the user, which could write past the quota; null for other statements. */
async function calledByVacuum(
  session: Session,
  text: string,
  limits: Omit<CallLimits, 'check'>,
): Promise<string | null> {
  if (!IS_VACUUM.test(text) || !CALLS_FUNCTIONS.test(text)) return null;
  return session.within({ ...limits, check: null }, () => session.userCodeInVacuum());
}

const cancelledWhileWaiting = (): PostgresFailure =>
  new PostgresFailure('storage_rejected', 'The statement was cancelled while it waited.', CANCELLED, undefined);

const writingVacuum = (what: string): StorageFailure =>
  new StorageFailure(
    'storage_full',
    `Your storage is full, and this VACUUM could call the functions of ${what}, which could write. Drop it first, or use VACUUM without FULL and ANALYZE.`,
  );

export const tooLarge = ({ bytes }: ResultLimits): StorageFailure =>
  new StorageFailure(
    'storage_too_large',
    `The result has more than ${bytes} bytes. Read it with a cursor, or select fewer rows and columns.`,
  );
