import { createHash } from 'node:crypto';
import { ApiError } from '../../common/errors.js';
import type { ListQuery, SortOrder } from './list-query.js';

/**
 * The end of a page: the values of the sort fields in its last row, as PostgreSQL text, and the total that was counted
 * for the first page.
 */
export interface Position {
  counted: number;
  values: (string | null)[];
}

/** A sort field as an SQL expression. */
export interface OrderedColumn {
  sql: string;
  direction: 'ASC' | 'DESC';
  nullable?: boolean;
}

/**
 * Encodes the cursor `next`. It contains only what the client has just received: a position, the total, and a digest of
 * the list's sort and filters.
 */
export const cursorOf = (query: ListQuery, order: SortOrder, { counted, values }: Position): string =>
  Buffer.from(JSON.stringify([listDigest(query, order), counted, ...values])).toString('base64url');

/**
 * Decodes the cursor in the query parameter `after`. Returns null if there is none.
 * @throws {ApiError} 400 if the cursor is malformed, belongs to another sort or filter, or is combined with `skip`.
 */
export function positionAfter(query: ListQuery, order: SortOrder): Position | null {
  if (query.after === undefined) return null;
  if (query.skip > 0) throw refusal('cannot be combined with skip');
  const parts = parsed(query.after);
  if (!Array.isArray(parts) || parts.length !== 2 + order.length) throw badCursor();
  const [list, counted, ...values] = parts as unknown[];
  if (list !== listDigest(query, order)) throw badCursor();
  if (!Number.isSafeInteger(counted) || !values.every(value => value === null || typeof value === 'string')) {
    throw badCursor();
  }
  return { counted: counted as number, values: values as Position['values'] };
}

export const badCursor = (): ApiError =>
  refusal('must be the `next` value of the same list with the same sort and filters');

/**
 * Returns an SQL condition for the rows after a position. If possible, the condition compares all sort fields at once,
 * so that PostgreSQL can use an index. NULL is last in ascending order and first in descending order, as in PostgreSQL.
 * @param parameter adds a value to the parameters of the statement and returns its placeholder.
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

/** Returns a digest of the list's sort and filters, which a cursor must match. */
function listDigest(query: ListQuery, order: SortOrder): string {
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
