import { ApiError } from '../../../platform/common/errors.js';
import { checkTimeZone } from '../../../platform/http/time-zone.js';
import type { GroupDto } from '../../storage/documents/groups.dto.js';
import type { PostgresColumnDto, PostgresTableDetailsDto } from './postgres-tables.dto.js';
import { quoted } from './quoted.js';

// Types of arrays end with `[]`.
const NUMBERS = /^(smallint|integer|bigint|numeric|real|double precision)[^[]*$/;
const TEXTS = /^(text|character)[^[]*$/;
const INSTANTS = /^timestamp.* with time zone$/;
const LOCAL_TIMES = /^(timestamp.* without time zone|date)$/;
/** Matches texts that are numbers. No number of this length is out of range. */
const NUMBER_TEXT = "'^ *[-+]?[0-9]{1,15}([.][0-9]{1,30})? *$'";

/**
 * Returns the SQL that groups the rows of a table.
 * @param limit number of groups to return at most.
 * @throws {ApiError} 400 for a column that does not exist or has the wrong type, or a wrong time zone.
 */
export function groupSql({ schema, name, columns }: PostgresTableDetailsDto, group: GroupDto, limit: number): string {
  checkTimeZone(group.time_zone);
  const by = columnOf(columns, group.by, 'by');
  const key = group.every === undefined ? quoted(by.name) : periodOf(by, group);
  const number = group.of === undefined ? null : numberOf(columnOf(columns, group.of, 'of'));
  const figures = number && [
    `sum(${number}) AS sum`,
    `avg(${number}) AS average`,
    `min(${number}) AS min`,
    `max(${number}) AS max`,
  ];
  const order = group.every === undefined ? '2 DESC, 1' : '1 DESC NULLS LAST';
  return `SELECT ${[`${key} AS "group"`, 'count(*) AS count', ...(figures ?? [])].join(', ')}
            FROM ${quoted(schema)}.${quoted(name)} GROUP BY 1 ORDER BY ${order} LIMIT ${limit}`;
}

/** The beginning of the period, as an instant. Times without a time zone are those of the clocks in `time_zone`. */
function periodOf({ name, type }: PostgresColumnDto, { every, time_zone }: GroupDto): string {
  const zone = `'${time_zone.replaceAll("'", "''")}'`;
  if (INSTANTS.test(type)) return `date_trunc('${every}', ${quoted(name)}, ${zone})`;
  if (LOCAL_TIMES.test(type)) return `date_trunc('${every}', ${quoted(name)}::timestamp) AT TIME ZONE ${zone}`;
  throw wrongType('by', name, type, 'dates or times, because you sent `every`');
}

function numberOf({ name, type }: PostgresColumnDto): string {
  const column = quoted(name);
  // PostgreSQL sorts NaN after Infinity.
  if (NUMBERS.test(type)) return `CASE WHEN abs(${column}::float8) < 'Infinity' THEN ${column}::float8 END`;
  if (TEXTS.test(type)) return `CASE WHEN ${column} ~ ${NUMBER_TEXT} THEN ${column}::float8 END`;
  throw wrongType('of', name, type, 'numbers');
}

function columnOf(columns: PostgresColumnDto[], name: string, field: string): PostgresColumnDto {
  const column = columns.find(one => one.name === name);
  if (column) return column;
  const names = columns.map(one => one.name).join(', ');
  throw refusal(field, `must be a column of the table, not ${name.slice(0, 100)}. Columns: ${names}`.slice(0, 1_000));
}

const wrongType = (field: string, name: string, type: string, expected: string): ApiError =>
  refusal(field, `must be a column of ${expected}; ${name.slice(0, 100)} is ${type}`);

const refusal = (field: string, message: string): ApiError =>
  new ApiError('validation_failed', `${field} ${message}.`, [{ field, message }]);
