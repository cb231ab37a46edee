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
  const names = fields.map(({ name }) => name);
  // A loop takes half the time of Object.fromEntries, but would set the prototype with such a column.
  if (names.includes('__proto__')) {
    return rows.map(row => Object.fromEntries(names.map((name, index) => [name, valueAt(row, index)])) as R);
  }
  return rows.map(row => {
    const values: Row = {};
    for (let index = 0; index < names.length; index++) values[names[index] as string] = valueAt(row, index);
    return values as R;
  });

  function valueAt(row: (string | null)[], index: number): unknown {
    const text = row[index] ?? null;
    return text === null ? null : parsers[index]?.(text);
  }
}
