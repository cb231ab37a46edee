import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { type ListQuery, type SortOrder, TOTAL_CAP } from './list-query.js';

/** How many rows match (counted up to `TOTAL_CAP + 1`), and the page that `query` asks for. */
export async function listRows<Row extends ObjectLiteral>(
  matching: SelectQueryBuilder<Row>,
  query: ListQuery,
  order: SortOrder,
): Promise<[counted: number, rows: Row[]]> {
  const page = matching.clone().limit(query.limit).offset(query.skip);
  for (const [field, direction] of order) page.addOrderBy(`${matching.alias}.${field}`, direction);
  return Promise.all([countRows(matching), page.getMany()]);
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
