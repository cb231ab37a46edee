import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../platform/common/errors.js';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import { jsonRow, parameterOf } from '../sessions/json-values.js';
import { toApiError } from '../sessions/postgres-failures.js';
import { MAX_PARAMS, UserStatementsService } from '../sessions/user-statements.service.js';
import type { PostgresCancelDto, PostgresQueryDto, PostgresQueryResultDto } from './postgres-console.dto.js';

const CONTROLS_TRANSACTION = /^(?:begin|start\s+transaction|commit|end|rollback|abort|savepoint|release)\b/i;
const QUERIES = /^(?:select|with|values|table|explain|show)\b/i;

/**
 * Whether an API key that reads may execute this statement, read-only. Others can lock tables or rebuild indexes in a
 * read-only transaction too.
 */
export const isQuery = (sql: string): boolean => QUERIES.test(fromFirstWord(sql));

const LIMITS = { rows: 1_000, bytes: 4 * 1024 * 1024 };

/** Executes statements that a user typed. */
@Injectable()
export class PostgresConsoleService {
  constructor(private readonly statements: UserStatementsService) {}

  /** @throws {ApiError} 400, 409, 413, 422, 429, 503. */
  async query(ownerId: string, query: PostgresQueryDto, signal: AbortSignal): Promise<PostgresQueryResultDto> {
    checkControlsNoTransaction(query.sql);
    const startedAt = performance.now();
    const params = paramsOf(query.params);
    const result = await translated(() =>
      this.statements.run(ownerId, {
        text: query.sql,
        params,
        readOnly: query.read_only,
        limits: LIMITS,
        withTypeNames: true,
        signal,
        ...(query.query_id === undefined ? {} : { label: labelOf(query.query_id, query.read_only) }),
      }),
    );
    return {
      command: result.command,
      fields: result.fields.map(({ name }, index) => ({ name, type: result.typeNames[index] ?? 'unknown' })),
      rows: result.rows.map(row => jsonRow(row, result.fields)),
      row_count: result.truncated ? null : result.row_count,
      truncated: result.truncated,
      duration_ms: Math.round(performance.now() - startedAt),
    };
  }

  /**
   * Cancels a query that runs. Does nothing if the account has no such query.
   * @param mayWrite false if the caller can cancel only what reads. The ids of all queries can be read in PostgreSQL.
   */
  async cancel(ownerId: string, queryId: string, mayWrite: boolean): Promise<PostgresCancelDto> {
    const labels = (mayWrite ? [true, false] : [true]).map(readOnly => labelOf(queryId, readOnly));
    return { cancelled: await translated(() => this.statements.cancel(ownerId, labels)) };
  }
}

/**
 * PostgreSQL would accept such a statement, and the user would believe that a later ROLLBACK undoes what follows.
 * @throws {ApiError} 422 `storage_rejected`.
 */
function checkControlsNoTransaction(sql: string): void {
  const [word] = CONTROLS_TRANSACTION.exec(fromFirstWord(sql)) ?? [];
  if (word === undefined) return;
  throw new ApiError(
    'storage_rejected',
    `${word.toUpperCase()} cannot group statements: Trawl executes each one in a transaction of its own and commits it. ` +
      'To change several things at once, send one statement, such as DO $$ BEGIN … END $$ or WITH.',
  );
}

/** Returns a statement without the parentheses, semicolons, white space and comments before its first word. */
function fromFirstWord(sql: string): string {
  const blank = /[\s(;]+|--[^\n\r]*/y;
  const mark = /\/\*|\*\//g;
  for (let at = 0; ; ) {
    blank.lastIndex = at;
    if (blank.test(sql)) {
      at = blank.lastIndex;
    } else if (sql.startsWith('/*', at)) {
      // Comments can be nested.
      mark.lastIndex = at;
      let depth = 0;
      do {
        const [found] = mark.exec(sql) ?? [];
        if (found === undefined) return '';
        depth += found === '/*' ? 1 : -1;
      } while (depth > 0);
      at = mark.lastIndex;
    } else {
      return sql.slice(at);
    }
  }
}

const labelOf = (queryId: string, readOnly: boolean): string =>
  `${readOnly ? 'read' : 'query'} ${queryId.toLowerCase()}`;

function paramsOf(params: unknown = []): (string | null)[] {
  if (Array.isArray(params) && params.length <= MAX_PARAMS) return params.map(parameterOf);
  const message = `params must be a list of at most ${MAX_PARAMS} values`;
  throw new ApiError('validation_failed', `${message}.`, [{ field: 'params', message }]);
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StorageFailure ? toApiError(error) : error;
  }
}
