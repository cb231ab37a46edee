export type Row = Record<string, unknown>;

export interface QueryResult<R extends Row = Row> {
  rows: R[];
  /** Number of rows that the statement returned or changed; null if PostgreSQL does not count them. */
  rowCount: number | null;
  /** What PostgreSQL executed: `SELECT`, `INSERT`, … */
  command: string;
}

/** Rows as PostgreSQL's text. `type` is PostgreSQL's number of the type. */
export interface TextRows {
  fields: { name: string; type: number }[];
  rows: (string | null)[][];
}

/** Converts rows to objects with the JavaScript values that the library `pg` would return. */
export function toRows<R extends Row>({ fields, rows }: TextRows): R[] {
  // Load the parsers here, because most runs do not use PostgreSQL.
  const { getTypeParser } = require('pg-types') as typeof import('pg-types');
  const parsers = fields.map(({ type }) => getTypeParser(type, 'text') as (text: string) => unknown);
  return rows.map(row => {
    const values = fields.map(({ name }, index) => {
      const text = row[index] ?? null;
      return [name, text === null ? null : parsers[index]?.(text)] as const;
    });
    return Object.fromEntries(values) as R;
  });
}
