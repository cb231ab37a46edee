import type { DataSource, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { badCursor, cursorOf, isAfter, type OrderedColumn, type Position, positionAfter } from './list-cursor.js';
import { type List, type ListQuery, type SortOrder, TOTAL_CAP, toList } from './list-query.js';

interface Source<Row> {
  /** At most `limit` rows from the place that `query` asks for; `after` is that place, if not `query.skip`. */
  rows: (after: Position | null, limit: number) => Promise<Row[]>;
  /** How many match, counted up to `TOTAL_CAP + 1`. */
  count: () => Promise<number>;
  /** What a row has in the fields of the order, as PostgreSQL writes it. */
  placeOf: (row: Row) => Position['values'];
}

/**
 * A page of any list. One row more than asked for says whether another page follows; the total is counted for the first
 * page, and goes from page to page in the cursor.
 */
async function pageOf<Row, Item>(
  query: ListQuery,
  order: SortOrder,
  source: Source<Row>,
  toItems: (rows: Row[]) => Item[] | Promise<Item[]>,
): Promise<List<Item>> {
  const after = positionAfter(query, order);
  try {
    const [counted, found] = await Promise.all([after?.counted ?? source.count(), source.rows(after, query.limit + 1)]);
    const rows = found.slice(0, query.limit);
    const last = found.length > query.limit ? rows.at(-1) : undefined;
    const next = last && cursorOf(query, order, { counted, values: source.placeOf(last) });
    return toList(query, counted, await toItems(rows), next);
  } catch (error) {
    // SQLSTATE class 22: a value in the cursor is none of its column's.
    if (after && /^22/.test(String((error as { code?: unknown }).code))) throw badCursor();
    throw error;
  }
}

/** The page that `query` asks for of the rows that match. */
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

/** A list in plain SQL, for rows that are not an entity's. */
export interface SqlList {
  dataSource: Pick<DataSource, 'query'>;
  table: string;
  alias: string;
  /** Columns of the answer; they may use `joins`, which are made for the rows of the page only. */
  columns: string;
  joins: string;
  /** Condition on `alias`, with `values` as its parameters. */
  where: string;
  values: unknown[];
}

/** The page that `query` asks for of what an SQL condition matches. */
export function listSqlPage<Row, Item>(
  { dataSource, table, alias, columns, joins, where, values }: SqlList,
  query: ListQuery,
  order: SortOrder,
  toItem: (row: Row) => Item,
): Promise<List<Item>> {
  type Placed = Row & { place: string[] };
  const ordered = order.map(([field, direction]): OrderedColumn => ({ sql: `${alias}.${field}`, direction }));
  const orderBy = `ORDER BY ${ordered.map(({ sql, direction }) => `${sql} ${direction}`).join(', ')}`;
  const rows = (after: Position | null, limit: number) => {
    const parameters = [...values];
    const isOnPage = after ? `AND ${isAfter(ordered, after, value => `$${parameters.push(value)}`)}` : '';
    return dataSource.query<Placed[]>(
      `SELECT ${columns}, ARRAY[${ordered.map(({ sql }) => `${sql}::text`).join(', ')}] AS place
       FROM (SELECT * FROM ${table} ${alias} WHERE ${where} ${isOnPage} ${orderBy} LIMIT ${limit} OFFSET ${query.skip}) ${alias}
       ${joins} ${orderBy}`,
      parameters,
    );
  };
  const count = async () => {
    const counting = `SELECT 1 FROM ${table} ${alias} WHERE ${where} LIMIT ${TOTAL_CAP + 1}`;
    const [row] = await dataSource.query<{ n: number }[]>(
      `SELECT count(*)::int AS n FROM (${counting}) counted`,
      values,
    );
    return row?.n ?? 0;
  };
  const source = { rows, count, placeOf: ({ place }: Placed) => place };
  return pageOf(query, order, source, found => found.map(toItem));
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

/** A pattern of LIKE that finds `text` as it is written, anywhere. */
export const containsPattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
