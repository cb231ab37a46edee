import { StorageError } from '../protocol/storage-error.js';
import { toJson, toParameter } from './parameters.js';
import { call, MAX_CALL_BYTES } from './postgres-port.js';
import { type QueryResult, type Row, type TextRows, toRows } from './results.js';

/** Statements in a transaction, or each in a transaction of its own. Every method can throw `StorageError`. */
export interface Transaction {
  /** Executes one statement. Write `$1`, `$2`, … for the parameters. */
  query<R extends Row = Row>(text: string, params?: unknown[]): Promise<QueryResult<R>>;
  /**
   * Inserts rows into a table, in statements of up to 512 KB. All rows must have the same keys, which are the columns.
   * `table` may have a schema: `shop.books`.
   *
   * @returns the number of inserted rows
   */
  insertMany(table: string, rows: Row[]): Promise<number>;
}

interface Answer extends TextRows {
  row_count: number | null;
  command: string;
}

/** Size in bytes of an insertMany call without its rows. JSON in JSON escapes each quotation mark. */
const MAX_ROWS_BYTES = MAX_CALL_BYTES - 16 * 1024;

export const statements = (transaction?: string): Transaction => ({
  query: (text, params) => query({ name: 'query', transaction }, text, params),
  async insertMany(table, rows) {
    const columns = columnsOf(rows);
    const into = quotedTable(table);
    const names = columns.map(quoted).join(', ');
    const text = `INSERT INTO ${into} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${into}, $1::json)`;
    let inserted = 0;
    let failure: unknown;
    const insert = async (batch: string): Promise<void> => {
      try {
        inserted += (await query({ name: 'insertMany', transaction, table }, text, [batch])).rowCount ?? 0;
      } catch (error) {
        failure = error;
      }
    };
    let inserting = Promise.resolve();
    try {
      // The loop encodes a batch while the call before it is in progress.
      for (const batch of batches(rows)) {
        await inserting;
        if (failure) break;
        inserting = insert(batch);
      }
    } finally {
      await inserting;
    }
    if (failure instanceof StorageError) {
      throw new StorageError(failure.code, failure.message, inserted, failure.postgres);
    }
    if (failure) throw failure;
    return inserted;
  },
});

async function query<R extends Row>(
  { name, transaction, table }: { name: string; transaction: string | undefined; table?: string },
  text: string,
  params: unknown[] = [],
): Promise<QueryResult<R>> {
  if (typeof text !== 'string' || !Array.isArray(params)) {
    throw new TypeError(`postgres.${name}: expected a statement and an array of parameters.`);
  }
  const request = {
    method: 'query' as const,
    text,
    params: params.map(toParameter),
    ...(transaction === undefined ? {} : { transaction }),
    ...(table === undefined ? {} : { table }),
  };
  const answer = await call<Answer>(name, request, name === 'insertMany');
  return { rows: toRows<R>(answer), rowCount: answer.row_count, command: answer.command };
}

function columnsOf(rows: Row[]): string[] {
  if (!Array.isArray(rows) || rows.length === 0) {
    throw new TypeError('postgres.insertMany: expected an array with at least one row.');
  }
  const columns = Object.keys(rows[0] ?? {});
  for (const [index, row] of rows.entries()) {
    const keys = Object.keys(row ?? {});
    if (keys.length === 0 || keys.length !== columns.length || columns.some(name => !(name in row))) {
      throw new TypeError(`postgres.insertMany: rows[${index}] does not have the same keys as rows[0].`);
    }
  }
  return columns;
}

/** Splits rows into JSON texts that each fit into one call. */
function* batches(rows: Row[]): Generator<string> {
  let batch: string[] = [];
  let batchBytes = 0;
  for (const [index, row] of rows.entries()) {
    const text = JSON.stringify(row, function (this: Row, key, value) {
      // JSON.stringify has already converted a Buffer, so read the value itself.
      return toJson(this[key] instanceof Uint8Array ? this[key] : value);
    });
    const bytes = Buffer.byteLength(JSON.stringify(text)) + 1;
    if (bytes > MAX_ROWS_BYTES) {
      throw new StorageError(
        'storage_too_large',
        `postgres.insertMany: rows[${index}] is ${bytes} bytes as JSON; the limit is ${MAX_ROWS_BYTES}.`,
      );
    }
    if (batchBytes + bytes > MAX_ROWS_BYTES) {
      yield `[${batch.join(',')}]`;
      batch = [];
      batchBytes = 0;
    }
    batch.push(text);
    batchBytes += bytes;
  }
  yield `[${batch.join(',')}]`;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const quotedTable = (name: string): string => {
  if (typeof name !== 'string' || name === '')
    throw new TypeError('postgres.insertMany: expected the name of a table.');
  return name.split('.').map(quoted).join('.');
};
