import type { LRUCache } from 'lru-cache';
import type { DataSource, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { isDataException } from '../../common/postgres-errors.js';
import { badCursor, cursorOf, isAfter, type OrderedColumn, type Position, positionAfter } from './list-cursor.js';
import { type List, type ListQuery, type SortOrder, TOTAL_CAP, toList } from './list-query.js';

interface Source<Row> {
  /**
   * Returns at most `limit` rows. They start after the position `after`, or after the first `query.skip` rows if
   * `after` is null.
   */
  rows: (after: Position | null, limit: number) => Promise<Row[]>;
  /** Counts matching rows up to `TOTAL_CAP + 1`. */
  count: () => Promise<number>;
  /** Returns the sort values of a row, as PostgreSQL text. */
  placeOf: (row: Row) => Position['values'];
}

/**
 * Returns a page of a list. Reads one extra row to know whether another page follows. Counts the total only if the page
 * has no cursor; later pages get it from the cursor. If the last item of the list is on the page, its place is the total.
 */
async function pageOf<Row, Item>(
  query: ListQuery,
  order: SortOrder,
  source: Source<Row>,
  toItems: (rows: Row[]) => Item[] | Promise<Item[]>,
): Promise<List<Item>> {
  const after = positionAfter(query, order);
  try {
    const [atLeast, found] = await Promise.all([after?.counted ?? source.count(), source.rows(after, query.limit + 1)]);
    const rows = found.slice(0, query.limit);
    const isEnd = !after && found.length <= query.limit && (rows.length > 0 || query.skip === 0);
    const counted = isEnd ? query.skip + rows.length : atLeast;
    const last = found.length > query.limit ? rows.at(-1) : undefined;
    const next = last && cursorOf(query, order, { counted, values: source.placeOf(last) });
    return toList(query, counted, await toItems(rows), next);
  } catch (error) {
    // The cursor holds a value that does not fit its column's type.
    if (after && isDataException(error)) throw badCursor();
    throw error;
  }
}

/** Returns the page of `query` from the matching rows. */
export async function listPage<Row extends ObjectLiteral, Item>(
  matching: SelectQueryBuilder<Row>,
  query: ListQuery,
  order: SortOrder,
  toItems: (rows: Row[]) => Item[] | Promise<Item[]>,
): Promise<List<Item>> {
  const { alias, expressionMap } = matching;
  const columns = order.map(([field, direction]): OrderedColumn => {
    const column = expressionMap.mainAlias?.metadata.findColumnWithPropertyName(field);
    return { sql: `${alias}.${field}`, direction, nullable: column?.isNullable ?? false };
  });
  const rows = async (after: Position | null, limit: number) => {
    const page = matching.clone().limit(limit).offset(query.skip);
    columns.forEach(({ sql, direction }, n) => {
      page.addOrderBy(sql, direction).addSelect(`CAST(${sql} AS text)`, `place_${n}`);
    });
    if (after) {
      const values: Record<string, string> = {};
      page.andWhere(
        isAfter(columns, after, value => {
          const name = `after_${Object.keys(values).length}`;
          values[name] = value;
          return `:${name}`;
        }),
        values,
      );
    }
    const { entities, raw } = await page.getRawAndEntities<Record<string, string | null>>();
    return entities.map((row, n) => ({ row, place: columns.map((_, c) => raw[n]?.[`place_${c}`] ?? null) }));
  };
  const source = {
    rows,
    count: () => countRows(matching),
    placeOf: ({ place }: { place: Position['values'] }) => place,
  };
  return pageOf(query, order, source, found => toItems(found.map(({ row }) => row)));
}

/** A list in plain SQL, for rows that are not entities. */
export interface SqlList {
  dataSource: Pick<DataSource, 'query'>;
  table: string;
  alias: string;
  /** Selected columns. They may use `joins`, which run only for the rows of the page. */
  columns: string;
  joins: string;
  /** Condition on `alias`, with the parameters `values`. */
  where: string;
  values: unknown[];
  /**
   * Whether an index has the rows of `where` in the order of the page. They are then counted in the index: PostgreSQL
   * would count them in the table, which takes 2 ms longer when the table is larger than its cache.
   */
  indexHasOrder?: boolean;
  /**
   * Remembers conditions that more than `TOTAL_CAP` rows met a moment ago. These rows are not counted again. Lists of many
   * rows are often read again and again, while they change.
   */
  longLists?: LRUCache<string, true>;
}

/** Returns the page of `query` from an SQL list. */
export function listSqlPage<Row, Item>(
  { dataSource, table, alias, columns, joins, where, values, indexHasOrder = false, longLists }: SqlList,
  query: ListQuery,
  order: SortOrder,
  toItem: (row: Row) => Item,
): Promise<List<Item>> {
  type Placed = Row & { place: string[] | null };
  const ordered = order.map(([field, direction]): OrderedColumn => ({ sql: `${alias}.${field}`, direction }));
  const orderBy = `ORDER BY ${ordered.map(({ sql, direction }) => `${sql} ${direction}`).join(', ')}`;
  const rows = (after: Position | null, limit: number) => {
    const parameters = [...values];
    const isOnPage = after ? `AND ${isAfter(ordered, after, value => `$${parameters.push(value)}`)}` : '';
    // Only the place of the page's last row is needed. Converting the times of all rows takes a tenth of the call.
    const place = `CASE WHEN row_number() OVER (${orderBy}) = ${query.limit} THEN ARRAY[${ordered.map(({ sql }) => `${sql}::text`).join(', ')}] END`;
    return dataSource.query<Placed[]>(
      `SELECT ${columns}, ${place} AS place
       FROM (SELECT * FROM ${table} ${alias} WHERE ${where} ${isOnPage} ${orderBy} LIMIT ${limit} OFFSET ${query.skip}) ${alias}
       ${joins} ${orderBy}`,
      parameters,
    );
  };
  const count = async () => {
    const list = JSON.stringify([where, values]);
    if (longLists?.has(list)) return TOTAL_CAP + 1;
    const counted = `${where} ${indexHasOrder ? orderBy : ''} LIMIT ${TOTAL_CAP + 1}`;
    const [row] = await dataSource.query<{ n: number }[]>(
      `SELECT count(*)::int AS n FROM (SELECT 1 FROM ${table} ${alias} WHERE ${counted}) counted`,
      values,
    );
    const n = row?.n ?? 0;
    if (n > TOTAL_CAP) longLists?.set(list, true);
    return n;
  };
  const source = { rows, count, placeOf: ({ place }: Placed) => place ?? [] };
  return pageOf(query, order, source, found => found.map(({ place: _, ...row }) => toItem(row as unknown as Row)));
}

async function countRows<Row extends ObjectLiteral>(matching: SelectQueryBuilder<Row>): Promise<number> {
  const [sql, parameters] = matching
    .clone()
    .select('1')
    .limit(TOTAL_CAP + 1)
    .getQueryAndParameters();
  const [row] = await matching.connection.query<{ n: number }[]>(
    `SELECT count(*)::int AS n FROM (${sql}) t`,
    parameters,
  );
  return row?.n ?? 0;
}

/** Returns a LIKE pattern for texts that contain `text` literally. */
export const containsPattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
