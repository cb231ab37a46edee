import { createHash } from 'node:crypto';
import { ApiError } from './errors.js';
import type { ListQuery, SortOrder } from './list-query.js';

/** Where a page ended: what its last row has in the fields of the order, as PostgreSQL writes it, and the total as it was. */
export interface Position {
  counted: number;
  values: (string | null)[];
}

/** A field of the order as an SQL expression. */
export interface OrderedColumn {
  sql: string;
  direction: 'ASC' | 'DESC';
  nullable?: boolean;
}

/**
 * The text of `next`. It holds nothing but what the caller has just been shown: a position, the total, and what list it
 * is of.
 */
export const cursorOf = (query: ListQuery, order: SortOrder, { counted, values }: Position): string =>
  Buffer.from(JSON.stringify([listOf(query, order), counted, ...values])).toString('base64url');

/**
 * The position that `after` names; null without it.
 * @throws {ApiError} 400 when it is no cursor, or one of another sort or filter, or comes with a `skip`.
 */
export function positionAfter(query: ListQuery, order: SortOrder): Position | null {
  if (query.after === undefined) return null;
  if (query.skip > 0) throw refusal('comes without skip: it says itself where the page begins');
  const parts = parsed(query.after);
  if (!Array.isArray(parts) || parts.length !== 2 + order.length) throw badCursor();
  const [list, counted, ...values] = parts as unknown[];
  if (list !== listOf(query, order)) throw badCursor();
  if (!Number.isSafeInteger(counted) || !values.every(value => value === null || typeof value === 'string')) {
    throw badCursor();
  }
  return { counted: counted as number, values: values as Position['values'] };
}

export const badCursor = (): ApiError =>
  refusal('must be the `next` of a page of the same list, with the same sort and filters');

/**
 * SQL: whether a row comes after a position. One comparison of rows where an index can find the place by it; NULLs stand
 * where PostgreSQL sorts them, last in ascending order and first in descending.
 * @param parameter gives the placeholder of a value.
 */
export function isAfter(columns: OrderedColumn[], { values }: Position, parameter: (value: string) => string): string {
  const placeholders = values.map(value => (value === null ? null : parameter(value)));
  const isUniform = columns.every(({ direction, nullable }) => direction === columns[0]?.direction && !nullable);
  if (isUniform && !placeholders.includes(null)) {
    const operator = columns[0]?.direction === 'ASC' ? '>' : '<';
    return `(${columns.map(({ sql }) => sql).join(', ')}) ${operator} (${placeholders.join(', ')})`;
  }
  const alternatives = columns.map((column, index) => {
    const same = columns.slice(0, index).map(({ sql }, n) => isSame(sql, placeholders[n] ?? null));
    return [...same, isBeyond(column, placeholders[index] ?? null)].join(' AND ');
  });
  return `(${alternatives.map(alternative => `(${alternative})`).join(' OR ')})`;
}

const isSame = (sql: string, placeholder: string | null): string =>
  placeholder === null ? `${sql} IS NULL` : `${sql} = ${placeholder}`;

function isBeyond({ sql, direction, nullable }: OrderedColumn, placeholder: string | null): string {
  if (placeholder === null) return direction === 'ASC' ? 'false' : `${sql} IS NOT NULL`;
  if (direction === 'DESC') return `${sql} < ${placeholder}`;
  return nullable ? `(${sql} > ${placeholder} OR ${sql} IS NULL)` : `${sql} > ${placeholder}`;
}

/** What makes a page one of this list and no other: how it is sorted, and every filter of the query. */
function listOf(query: ListQuery, order: SortOrder): string {
  const { limit: _limit, skip: _skip, after: _after, sort: _sort, ...filters } = query;
  const { select: _select, ...rest } = filters as Record<string, unknown>;
  const named = Object.entries(rest)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([order, named]))
    .digest('base64url')
    .slice(0, 12);
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw badCursor();
  }
}

const refusal = (message: string): ApiError =>
  new ApiError('validation_failed', `after ${message}.`, [{ field: 'after', message }]);
