import type { DataSource } from 'typeorm';
import type { Lookups } from '../../common/batching/shared-lookups.js';
import { preparedQuery } from '../../common/sql/prepared-query.js';
import type { Position } from './list-cursor.js';
import { type ListQuery, listText, type SortOrder } from './list-query.js';
import {
  countText,
  type FoundPage,
  orderByOf,
  orderedColumns,
  pageOf,
  placeOf,
  rowsOfPage,
  type SqlRows,
} from './list-rows.js';

/**
 * Limits for which the first page of a list is prepared. PostgreSQL keeps a prepared statement in each connection, so
 * there must be few.
 */
const PREPARED_LIMITS = [25, 50, 100];

/** A list whose items PostgreSQL writes as JSON. `columns` are the fields of an item, in their order. */
export interface JsonList extends SqlRows {
  dataSource: DataSource;
  /** A condition for the whole page, which may read the rows in `page`. If it is false, `tooLarge` is thrown. */
  fits: string;
  tooLarge: Error;
  /** Calls that arrive while the rows are counted share the next count: it is the same for all pages. */
  counts: Lookups;
  /** Name of the list, if its text depends only on `query`. Then PostgreSQL plans its most used pages once. */
  name?: string;
}

/**
 * Returns the page of `query` as JSON text. PostgreSQL writes the items: reading them as rows, converting their times and
 * writing them as JSON again took half of the backend's time for a list.
 */
export async function listJsonPage(list: JsonList, query: ListQuery, order: SortOrder): Promise<string> {
  const { table, alias, where, values } = list;
  const isFirst = query.skip === 0 && query.after === undefined && query.sort === undefined;
  const name = isFirst ? list.name : undefined;
  const counting = countText(table, alias, where);
  const count = () =>
    list.counts.once(JSON.stringify([counting, values]), async () => {
      const [row] = await read<{ n: number }>(list, name && `${name}, counted`, counting, values);
      return row?.n ?? 0;
    });
  const { items, ...head } = await pageOf(query, order, {
    page: after => pageText(list, query, order, after, name),
    count,
  });
  return listText(head, items);
}

async function pageText(
  list: JsonList,
  query: ListQuery,
  order: SortOrder,
  after: Position | null,
  name: string | undefined,
): Promise<FoundPage<string>> {
  const { alias, columns, joins, fits } = list;
  const { limit } = query;
  const ordered = orderedColumns(list, order);
  const orderBy = orderByOf(ordered);
  const { text, parameters } = rowsOfPage(list, query, ordered, after);
  const [row] = await read<{ found: number; fits: boolean; place: string[] | null; items: string | null }>(
    list,
    PREPARED_LIMITS.includes(limit) ? name && `${name}, ${limit}` : undefined,
    `WITH page AS MATERIALIZED (${text})
     SELECT (SELECT count(*)::int FROM page) AS found, ${fits} AS fits,
       (SELECT ${placeOf(ordered)} FROM page ${alias} ${orderBy} OFFSET ${limit - 1} LIMIT 1) AS place,
       (SELECT string_agg(row_to_json(item)::text, ',') FROM
         (SELECT ${columns} FROM (SELECT * FROM page ${alias} ${orderBy} LIMIT ${limit}) ${alias} ${joins} ${orderBy}) item) AS items`,
    parameters,
  );
  if (!row) throw new Error('A statement without FROM returned no row.');
  if (!row.fits) throw list.tooLarge;
  return { found: row.found, items: row.items ?? '', place: row.place ?? [] };
}

/** Runs a statement, as a prepared one if it has a name. */
const read = <Row>(
  { dataSource }: JsonList,
  name: string | undefined,
  text: string,
  values: unknown[],
): Promise<Row[]> =>
  name === undefined ? dataSource.query<Row[]>(text, values) : preparedQuery<Row>(dataSource, name, text, values);

/** SQL of a time in the format of the API, which is that of `Date.toJSON`. The connections' time zone is UTC. */
export const jsonTime = (sql: string): string => `to_char(${sql}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
