import { Injectable } from '@nestjs/common';
import { UserRowsService } from '../../../data/postgres/sessions/user-rows.service.js';
import { PostgresTablesService } from '../../../data/postgres/tables/postgres-tables.service.js';
import { ApiError } from '../../../platform/common/errors.js';
import { declaredOf } from './postgres-columns.js';
import { type ExportSource, type ReadOptions, refuseFields, type SourceParams, TIME_FIELDS } from './source.js';

const DEFAULT_SCHEMA = 'public';

/** A table in the account's PostgreSQL database. */
@Injectable()
export class TableSource implements ExportSource {
  constructor(
    private readonly tables: PostgresTablesService,
    private readonly rows: UserRowsService,
  ) {}

  async check(ownerId: string, params: SourceParams): Promise<string> {
    const { schema = DEFAULT_SCHEMA } = params;
    const table = required(params, 'table');
    await this.tables.get(ownerId, schema, table);
    return table;
  }

  /** The table may have been dropped since its exporter was created. */
  async *read(
    ownerId: string,
    params: SourceParams,
    { signal, declare }: ReadOptions,
  ): AsyncGenerator<Record<string, unknown>[]> {
    const table = await this.check(ownerId, params);
    const { schema = DEFAULT_SCHEMA } = params;
    yield* this.rows.read(ownerId, `SELECT * FROM ${quoted(schema)}.${quoted(table)}`, signal, fields =>
      declare?.(declaredOf(fields)),
    );
  }
}

/** The rows that a SQL statement returns. It cannot change data. */
@Injectable()
export class QuerySource implements ExportSource {
  constructor(private readonly rows: UserRowsService) {}

  async check(_ownerId: string, params: SourceParams): Promise<string> {
    required(params, 'sql');
    return 'query';
  }

  read(
    ownerId: string,
    params: SourceParams,
    { signal, declare }: ReadOptions,
  ): AsyncIterable<Record<string, unknown>[]> {
    return this.rows.read(ownerId, required(params, 'sql'), signal, fields => declare?.(declaredOf(fields)));
  }
}

function required(params: SourceParams, name: 'table' | 'sql'): string {
  refuseFields(
    params,
    ['filter', ...TIME_FIELDS],
    'For PostgreSQL, use the source query with WHERE on a column of your own, such as: WHERE added_at >= current_date - 1 AND added_at < current_date',
  );
  const value = params[name];
  if (value !== undefined) return value;
  const message = `is missing: the source ${params.source} needs it`;
  throw new ApiError('validation_failed', `${name} ${message}.`, [{ field: name, message }]);
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
