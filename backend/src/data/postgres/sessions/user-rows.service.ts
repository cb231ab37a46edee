import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../platform/common/errors.js';
import { PostgresUsageService } from '../usage/postgres-usage.service.js';
import { exactRow } from './json-values.js';
import { toApiError, toPostgresFailure } from './postgres-failures.js';
import { columnsOf, fieldsOf, type ResultColumn } from './session.js';
import { UserSessionsService } from './user-sessions.service.js';
import { STATEMENT_MS } from './user-statements.service.js';

/** Reads results of any length, for exports. */
@Injectable()
export class UserRowsService {
  constructor(
    private readonly sessions: UserSessionsService,
    private readonly usage: PostgresUsageService,
  ) {}

  /**
   * Executes a statement that cannot change data, and yields its rows, some at a time. Values of `json` and `jsonb` are
   * `JsonText`, all others plain JSON values.
   * @throws {ApiError} for everything that the user can cause: two columns with one name, an error of the statement, or a
   * batch of rows that takes more than 30 s.
   * @param onColumns receives the columns before the first row.
   */
  async *read(
    ownerId: string,
    text: string,
    signal: AbortSignal,
    onColumns: (columns: ResultColumn[]) => void = () => {},
  ): AsyncGenerator<Record<string, unknown>[]> {
    const limits = { timeMs: STATEMENT_MS, signal, check: this.usage.readingCheck(ownerId) };
    try {
      const session = await this.sessions.open(ownerId);
      // A session whose cursor is open cannot be used again.
      let isDone = false;
      let isDeclared = false;
      try {
        await session.within(limits, () => session.begin('read'));
        const cursor = session.open(text, []);
        while (!isDone) {
          const page = await session.within(limits, () => session.read(cursor));
          const fields = fieldsOf(cursor);
          const names = fields.map(({ name }) => name);
          checkNames(names);
          if (!isDeclared) onColumns(columnsOf(cursor));
          isDeclared = true;
          isDone = page.length === 0;
          if (!isDone) yield page.map(row => objectOf(names, exactRow(row, fields)));
        }
      } finally {
        session.isBroken ||= !isDone;
        await session.release();
      }
    } catch (error) {
      const failure = toPostgresFailure(error);
      throw failure ? toApiError(failure) : error;
    }
  }
}

const objectOf = (names: string[], values: unknown[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name, index) => [name, values[index]]));

function checkNames(names: string[]): void {
  const double = names.find((name, index) => names.indexOf(name) !== index);
  if (double === undefined) return;
  throw new ApiError(
    'storage_rejected',
    `The result has two columns named ${double.slice(0, 100)}. Give one of them another name with AS.`,
  );
}
