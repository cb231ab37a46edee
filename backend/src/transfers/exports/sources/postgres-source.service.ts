import { Injectable } from '@nestjs/common';
import { UserRowsService } from '../../../data/postgres/sessions/user-rows.service.js';
import { groupSql } from '../../../data/postgres/tables/group-sql.js';
import { PostgresTablesService } from '../../../data/postgres/tables/postgres-tables.service.js';
import { quoted } from '../../../data/postgres/tables/quoted.js';
import { checkGroups, MAX_GROUPS } from '../../../data/storage/documents/groups.dto.js';
import { ApiError } from '../../../platform/common/errors.js';
import { declaredOf } from './postgres-columns.js';
import {
  type ExportSource,
  type ReadOptions,
  refuseFields,
  refuseGroup,
  type SourceParams,
  TIME_FIELDS,
} from './source.js';

const DEFAULT_SCHEMA = 'public';

/** A table in the account's PostgreSQL database. */
@Injectable()
export class TableSource implements ExportSource {
  constructor(
    private readonly tables: PostgresTablesService,
    private readonly rows: UserRowsService,
  ) {}

  async check(ownerId: string, params: SourceParams): Promise<string> {
    const { name } = await this.#table(ownerId, params);
    return name;
  }

  /** Returns the table, and the SQL that reads it. */
  async #table(ownerId: string, params: SourceParams): Promise<{ name: string; sql: string }> {
    const { schema = DEFAULT_SCHEMA, group } = params;
    const table = await this.tables.get(ownerId, schema, required(params, 'table'));
    const sql = group
      ? groupSql(table, group, MAX_GROUPS.export + 1)
      : `SELECT * FROM ${quoted(table.schema)}.${quoted(table.name)}`;
    return { name: table.name, sql };
  }

  /** The table may have been dropped since its exporter was created. */
  async *read(
    ownerId: string,
    params: SourceParams,
    { signal, declare }: ReadOptions,
  ): AsyncGenerator<Record<string, unknown>[]> {
    const { sql } = await this.#table(ownerId, params);
    let count = 0;
    for await (const rows of this.rows.read(ownerId, sql, signal, fields => declare?.(declaredOf(fields)))) {
      count += rows.length;
      if (params.group) checkGroups(count);
      yield rows;
    }
  }
}

/** The rows that a SQL statement returns. It cannot change data. */
@Injectable()
export class QuerySource implements ExportSource {
  constructor(private readonly rows: UserRowsService) {}

  async check(_ownerId: string, params: SourceParams): Promise<string> {
    refuseGroup(params);
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
