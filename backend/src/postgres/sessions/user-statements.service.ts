import { Injectable } from '@nestjs/common';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import { PostgresDatabasesService } from '../databases/postgres-databases.service.js';
import { UserServerService } from '../server/user-server.service.js';
import { PostgresUsageService } from '../usage/postgres-usage.service.js';
import { isLost, PostgresFailure, toPostgresFailure } from './postgres-failures.js';
import type { ResultLimits, Session, StatementResult } from './session.js';
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
  /** True if a result with more than `limits` is an error. Then the statement is rolled back. */
  isWholeResultNeeded?: boolean;
}

export interface UserStatementResult extends StatementResult {
  /** Names of the types of `fields`, if `withTypeNames` asked for them. */
  typeNames: string[];
}

/** Time limit of one statement. */
export const STATEMENT_MS = 30_000;
/** Number of parameters of one statement. PostgreSQL's own limit is 65,535. */
export const MAX_PARAMS = 10_000;
const SHRINKS = /^\s*(delete|truncate|drop|vacuum)\b/i;
const IS_VACUUM = /^\s*vacuum\b/i;
const READ_ONLY_TRANSACTION = '25006';
/** How much larger a database may become by a statement that should make it smaller. Deleting writes a little, too. */
const SLACK_BYTES = 4 * 1024 * 1024;

/** Executes single statements of users, each in a transaction of its own. */
@Injectable()
export class UserStatementsService {
  /** Time limit of a statement. Tests shorten it. */
  statementMs = STATEMENT_MS;

  constructor(
    private readonly databases: PostgresDatabasesService,
    private readonly server: UserServerService,
    private readonly sessions: UserSessionsService,
    private readonly usage: PostgresUsageService,
  ) {}

  /**
   * Executes one statement. When the account's quota is used up, it can only read, or make the database smaller.
   * @throws {StorageFailure} for everything that the user can cause; {ApiError} 429.
   */
  async run(ownerId: string, statement: UserStatement): Promise<UserStatementResult> {
    const { text, readOnly, signal } = statement;
    const fullness = readOnly ? null : await this.usage.fullness(ownerId);
    const isWrite = !readOnly && (!fullness || SHRINKS.test(text));
    try {
      return await this.sessions.use(ownerId, async session => {
        const check = isWrite ? await this.#growthCheck(ownerId, text, fullness) : undefined;
        return session.within({ timeMs: this.statementMs, signal, ...(check ? { check } : {}) }, async () => {
          const result = await this.#execute(session, statement, isWrite);
          const failure = fullness && (await check?.());
          if (failure) throw failure;
          const typeNames = statement.withTypeNames ? await session.typeNames(result.fields) : [];
          await this.#commit(session, isWrite);
          return { ...result, typeNames };
        });
      });
    } catch (error) {
      const failure = toPostgresFailure(error);
      const isRefusedWrite = failure instanceof PostgresFailure && failure.sqlState === READ_ONLY_TRANSACTION;
      throw (isRefusedWrite ? fullness : null) ?? failure ?? error;
    } finally {
      if (isWrite) this.usage.markChanged(ownerId);
    }
  }

  /** Cancels the statements with a label. Returns false if there is none. */
  async cancel(ownerId: string, label: string): Promise<boolean> {
    const name = await this.databases.find(ownerId);
    if (!name) return false;
    const cancelled = await this.server.maintain(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE usename = $1 AND application_name = $2 AND state = 'active'`,
      [name, label],
    );
    return cancelled.length > 0;
  }

  async #execute(session: Session, statement: UserStatement, isWrite: boolean): Promise<StatementResult> {
    const { text, params, limits, label, isWholeResultNeeded } = statement;
    // VACUUM cannot run in a transaction.
    if (!isWrite || !IS_VACUUM.test(text)) await session.begin(isWrite ? 'write' : 'read');
    if (label) await session.name(label);
    const result = await session.execute(text, params, limits);
    if (result.truncated && isWholeResultNeeded) throw tooLarge(limits);
    return result;
  }

  async #commit(session: Session, isWrite: boolean): Promise<void> {
    try {
      await session.commit();
    } catch (error) {
      if (!isWrite || !isLost(error)) throw error;
      throw new StorageFailure(
        'storage_outcome_unknown',
        'The connection to PostgreSQL broke during COMMIT, so the statement may have changed data. Check the data before you send it again.',
      );
    }
  }

  async #growthCheck(
    ownerId: string,
    text: string,
    fullness: StorageFailure | null,
  ): Promise<(() => Promise<StorageFailure | null>) | undefined> {
    // VACUUM FULL writes a table anew before it deletes the old one.
    if (IS_VACUUM.test(text)) return undefined;
    if (!fullness) return this.usage.growthCheck(ownerId);
    const name = await this.databases.findOrCreate(ownerId);
    // A trigger of the user may insert while rows are deleted.
    const before = await this.server.sizeOf(name);
    return async () => ((await this.server.sizeOf(name)) > before + SLACK_BYTES ? fullness : null);
  }
}

export const tooLarge = ({ bytes }: ResultLimits): StorageFailure =>
  new StorageFailure(
    'storage_too_large',
    `The result has more than ${bytes} bytes. Read it with a cursor, or select fewer rows and columns.`,
  );
