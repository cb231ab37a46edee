import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../platform/common/errors.js';
import { type List, TOTAL_CAP, toList } from '../../../platform/http/lists/list-query.js';
import { type GroupsDto, MAX_GROUPS } from '../../storage/documents/groups.dto.js';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import { PostgresDatabasesService } from '../databases/postgres-databases.service.js';
import { jsonRow } from '../sessions/json-values.js';
import { toApiError } from '../sessions/postgres-failures.js';
import type { StatementResult } from '../sessions/session.js';
import { UserStatementsService } from '../sessions/user-statements.service.js';
import { groupSql } from './group-sql.js';
import type {
  PostgresColumnDto,
  PostgresGroupsQuery,
  PostgresRowsDto,
  PostgresRowsQuery,
  PostgresTableDetailsDto,
  PostgresTableDto,
  PostgresTablesQuery,
} from './postgres-tables.dto.js';
import { quoted } from './quoted.js';

/** Size of the rows of a page. */
const PAGE_BYTES = 4 * 1024 * 1024;
const MAX_TABLES = TOTAL_CAP + 1;

/** Tables, views and materialized views of the user. Names are qualified: a user can define others in front of them. */
const TABLES = `
  SELECT n.nspname, c.relname,
         CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' ELSE 'table' END,
         CASE WHEN c.reltuples >= 0 AND c.relkind <> 'v' THEN c.reltuples::pg_catalog.int8 END,
         CASE WHEN c.relkind = 'v' THEN 0 ELSE pg_catalog.pg_total_relation_size(c.oid) END,
         c.oid
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;

const COLUMNS = `
  SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), NOT a.attnotnull,
         pg_catalog.pg_get_expr(d.adbin, d.adrelid),
         EXISTS (SELECT 1 FROM pg_catalog.pg_index i
                  WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey))
    FROM pg_catalog.pg_attribute a
    LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
   WHERE a.attrelid = $1::pg_catalog.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;

/** Shows the tables in the account's PostgreSQL database. All statements are executed as the role of the account. */
@Injectable()
export class PostgresTablesService {
  constructor(
    private readonly databases: PostgresDatabasesService,
    private readonly statements: UserStatementsService,
  ) {}

  async list(ownerId: string, query: PostgresTablesQuery): Promise<List<PostgresTableDto>> {
    if (!(await this.databases.find(ownerId))) return toList(query, 0, []);
    const counted = await this.#read(ownerId, `SELECT count(*) FROM (${TABLES} LIMIT ${MAX_TABLES}) t`);
    const page = await this.#read(ownerId, `${TABLES} ORDER BY 1, 2 LIMIT $1 OFFSET $2`, [query.limit, query.skip]);
    return toList(query, Number(counted.rows[0]?.[0]), page.rows.map(toTable));
  }

  /** @throws {ApiError} 404. */
  async get(ownerId: string, schema: string, name: string): Promise<PostgresTableDetailsDto> {
    const { table, columns } = await this.#find(ownerId, schema, name);
    return { ...table, columns };
  }

  /** @throws {ApiError} 404; 400 for an unknown column; 413. */
  async rows(ownerId: string, name: string, query: PostgresRowsQuery): Promise<PostgresRowsDto> {
    const { schema, limit, skip } = query;
    const { columns } = await this.#find(ownerId, schema, name);
    const from = `${quoted(schema)}.${quoted(name)}`;
    const order = orderOf(query.sort, columns);
    const counted = await this.#read(ownerId, `SELECT count(*) FROM (SELECT 1 FROM ${from} LIMIT ${MAX_TABLES}) t`);
    const page = await this.#read(ownerId, `SELECT * FROM ${from}${order} LIMIT $1 OFFSET $2`, [limit, skip]);
    const names = page.fields.map(field => field.name);
    const items = page.rows.map(row => {
      const values = jsonRow(row, page.fields);
      return Object.fromEntries(names.map((column, index) => [column, values[index]]));
    });
    return toList(query, Number(counted.rows[0]?.[0]), items);
  }

  /** Groups the rows. @throws {ApiError} 404; 400 for a wrong column or time zone; 413. */
  async groups(ownerId: string, name: string, query: PostgresGroupsQuery): Promise<GroupsDto> {
    const { table, columns } = await this.#find(ownerId, query.schema, name);
    const limit = MAX_GROUPS.response;
    const { rows, fields } = await this.#read(ownerId, groupSql({ ...table, columns }, query, limit + 1));
    const items = rows.slice(0, limit).map(row => {
      const [group, count, ...figures] = jsonRow(row, fields);
      return {
        group,
        count: Number(count),
        ...Object.fromEntries(figures.map((figure, index) => [fields[index + 2]?.name, figure])),
      };
    });
    return { items, ...(rows.length > limit ? { truncated: true } : {}) };
  }

  async #find(
    ownerId: string,
    schema: string,
    name: string,
  ): Promise<{ table: PostgresTableDto; columns: PostgresColumnDto[] }> {
    const missing = new ApiError('not_found', `You have no table ${name.slice(0, 100)} in the schema ${schema}.`);
    if (name.includes('\0') || !(await this.databases.find(ownerId))) throw missing;
    const found = await this.#read(ownerId, `${TABLES} AND n.nspname = $1 AND c.relname = $2`, [schema, name]);
    const [row] = found.rows;
    if (!row) throw missing;
    const columns = await this.#read(ownerId, COLUMNS, [String(row[5])]);
    return { table: toTable(row), columns: columns.rows.map(toColumn) };
  }

  async #read(ownerId: string, text: string, params: (string | number)[] = []): Promise<StatementResult> {
    try {
      return await this.statements.run(ownerId, {
        text,
        params: params.map(String),
        readOnly: true,
        limits: { rows: MAX_TABLES, bytes: PAGE_BYTES },
        isWholeResultNeeded: true,
      });
    } catch (error) {
      throw error instanceof StorageFailure ? toApiError(error) : error;
    }
  }
}

const toTable = ([schema, name, kind, rows, size]: StatementResult['rows'][number]): PostgresTableDto => ({
  schema: String(schema),
  name: String(name),
  kind: String(kind),
  estimated_rows: rows === null ? null : Number(rows),
  size: Number(size),
});

const toColumn = ([name, type, nullable, byDefault, key]: StatementResult['rows'][number]): PostgresColumnDto => ({
  name: String(name),
  type: String(type),
  nullable: nullable === 't',
  default: byDefault ?? null,
  primary_key: key === 't',
});

/** @throws {ApiError} 400 naming an unknown column. */
function orderOf(sort: string | undefined, columns: PostgresColumnDto[]): string {
  const parts = sort
    ? sort.split(',').map(part => part.trim())
    : columns.filter(column => column.primary_key).map(({ name }) => name);
  const order = parts.map(part => {
    const column = columns.find(({ name }) => name === part || `-${name}` === part);
    if (column) return `${quoted(column.name)}${column.name === part ? '' : ' DESC'}`;
    const message = `unknown column ${part}`;
    const names = columns.map(({ name }) => name).join(', ');
    throw new ApiError('validation_failed', `sort: ${message}. Columns: ${names}.`.slice(0, 1_000), [
      { field: 'sort', message },
    ]);
  });
  return order.length > 0 ? ` ORDER BY ${order.join(', ')}` : '';
}
