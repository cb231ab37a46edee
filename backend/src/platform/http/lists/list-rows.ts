import type { LRUCache } from 'lru-cache';
import type { DataSource, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { isDataException } from '../../common/postgres-errors.js';
import { badCursor, cursorOf, isAfter, type OrderedColumn, type Position, positionAfter } from './list-cursor.js';
import { headOf, type List, type ListHead, type ListQuery, type SortOrder, TOTAL_CAP } from './list-query.js';

/** The rows of a page. */
export interface FoundPage<Items> {
  /** Number of rows that were found: one more than the limit if another page follows. */
  found: number;
  /** The first `query.limit` rows, as items of the response. */
  items: Items;
  /** Sort values of the page's last row, as PostgreSQL text. Needed only if another page follows. */
  place: Position['values'];
}

interface Source<Items> {
  /**
   * Reads at most `query.limit + 1` rows. They start after the position `after`, or after the first `query.skip` rows if
   * `after` is null.
   */
  page: (after: Position | null) => Promise<FoundPage<Items>>;
  /** Counts matching rows up to `TOTAL_CAP + 1`. */
  count: () => Promise<number>;
}

/**
 * Returns a page of a list. Reads one extra row to know whether another page follows. Counts the total only if the page
 * has no cursor; later pages get it from the cursor. If the last item of the list is on the page, its place is the total.
 */
export async function pageOf<Items>(
  query: ListQuery,
  order: SortOrder,
  source: Source<Items>,
): Promise<ListHead & { items: Items }> {
  const after = positionAfter(query, order);
  try {
    const [atLeast, { found, items, place }] = await Promise.all([
      after?.counted ?? source.count(),
      source.page(after),
    ]);
    const shown = Math.min(found, query.limit);
    const isEnd = !after && found <= query.limit && (shown > 0 || query.skip === 0);
    const counted = isEnd ? query.skip + shown : atLeast;
    const next = found > query.limit ? cursorOf(query, order, { counted, values: place }) : undefined;
    return { ...headOf(query, counted, next), items };
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
  const page = async (after: Position | null) => {
    const page = matching
      .clone()
      .limit(query.limit + 1)
      .offset(query.skip);
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
    const last = raw[query.limit - 1];
    return {
      found: entities.length,
      items: await toItems(entities.slice(0, query.limit)),
      place: columns.map((_, c) => last?.[`place_${c}`] ?? null),
    };
  };
  return pageOf(query, order, { page, count: () => countRows(matching) });
}

/** Rows of a table, as parts of SQL. */
export interface SqlRows {
  table: string;
  alias: string;
  /** Selected columns. They may use `joins`, which run only for the rows of the page. */
  columns: string;
  joins: string;
  /** Condition on `alias`, with the parameters `values`. */
  where: string;
  values: unknown[];
}

/** A list in plain SQL, for rows that are not entities. */
export interface SqlList extends SqlRows {
  dataSource: Pick<DataSource, 'query'>;
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
  list: SqlList,
  query: ListQuery,
  order: SortOrder,
  toItem: (row: Row) => Item,
): Promise<List<Item>> {
  type Placed = Row & { place: string[] | null };
  const { alias, columns, joins } = list;
  const ordered = orderedColumns(list, order);
  const orderBy = orderByOf(ordered);
  const page = async (after: Position | null) => {
    const { text, parameters } = rowsOfPage(list, query, ordered, after);
    // Only the place of the page's last row is needed. Converting the times of all rows takes a tenth of the call.
    const place = `CASE WHEN row_number() OVER (${orderBy}) = ${query.limit} THEN ${placeOf(ordered)} END`;
    const found = await list.dataSource.query<Placed[]>(
      `SELECT ${columns}, ${place} AS place
       FROM (${text}) ${alias}
       ${joins} ${orderBy}`,
      parameters,
    );
    const shown = found.slice(0, query.limit);
    return {
      found: found.length,
      items: shown.map(({ place: _, ...row }) => toItem(row as unknown as Row)),
      place: found[query.limit - 1]?.place ?? [],
    };
  };
  return pageOf(query, order, { page, count: () => countSql(list, orderBy) });
}

/** Returns the statement that reads the rows of a page, and one more if there is another page. */
export function rowsOfPage(
  { table, alias, where, values }: SqlRows,
  { limit, skip }: ListQuery,
  ordered: OrderedColumn[],
  after: Position | null,
): { text: string; parameters: unknown[] } {
  const parameters = [...values];
  const isOnPage = after ? `AND ${isAfter(ordered, after, value => `$${parameters.push(value)}`)}` : '';
  const text = `SELECT * FROM ${table} ${alias} WHERE ${where} ${isOnPage} ${orderByOf(ordered)} LIMIT ${limit + 1} OFFSET ${skip}`;
  return { text, parameters };
}

/** Returns SQL for the sort values of a row. */
export const placeOf = (ordered: OrderedColumn[]): string =>
  `ARRAY[${ordered.map(({ sql }) => `${sql}::text`).join(', ')}]`;

export const orderedColumns = ({ alias }: Pick<SqlRows, 'alias'>, order: SortOrder): OrderedColumn[] =>
  order.map(([field, direction]) => ({ sql: `${alias}.${field}`, direction }));

export const orderByOf = (ordered: OrderedColumn[]): string =>
  `ORDER BY ${ordered.map(({ sql, direction }) => `${sql} ${direction}`).join(', ')}`;

async function countSql(list: SqlList, orderBy: string): Promise<number> {
  const { table, alias, where, values, longLists } = list;
  const key = JSON.stringify([where, values]);
  if (longLists?.has(key)) return TOTAL_CAP + 1;
  const [row] = await list.dataSource.query<{ n: number }[]>(
    countText(table, alias, `${where} ${list.indexHasOrder ? orderBy : ''}`),
    values,
  );
  const n = row?.n ?? 0;
  if (n > TOTAL_CAP) longLists?.set(key, true);
  return n;
}

/** Returns the statement that counts the rows of a table up to `TOTAL_CAP + 1`. */
export const countText = (table: string, alias: string, where: string): string =>
  `SELECT count(*)::int AS n FROM (SELECT 1 FROM ${table} ${alias} WHERE ${where} LIMIT ${TOTAL_CAP + 1}) counted`;

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
