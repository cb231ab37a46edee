import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { PostgresPort, PostgresReply, PostgresRequest } from '../protocol/postgres-request.js';
import { StorageError } from '../protocol/storage-error.js';

const AS_TEXT = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;
const IDLE_MS = 1_000;

interface HeldClient {
  client: pg.PoolClient;
  batchSize: number;
}

/** Answers PostgreSQL calls from a server of the user. */
class UserServer {
  readonly #pool: pg.Pool;
  readonly #held = new Map<string, HeldClient>();
  #isClosed = false;

  constructor(readonly url: string) {
    // Idle connections close soon, and none keeps the process alive.
    this.#pool = new pg.Pool({ connectionString: url, idleTimeoutMillis: IDLE_MS, allowExitOnIdle: true });
    this.#pool.on('error', () => {});
    // While a client is held, only this listener keeps a broken connection from ending the process. The next call fails.
    this.#pool.on('connect', client => client.on('error', () => {}));
  }

  /** Closes all connections. PostgreSQL then rolls back the transactions that are open. */
  close(): void {
    this.#isClosed = true;
    for (const { client } of this.#held.values()) client.release(true);
    this.#held.clear();
    void this.#pool.end();
  }

  async answer(request: PostgresRequest): Promise<object> {
    switch (request.method) {
      case 'query': {
        const { text, params, transaction } = request;
        const by = transaction === undefined ? this.#pool : this.#find(transaction, 'storage_transaction_lost').client;
        const result = await by.query(statement(text, params));
        return { ...textRows(result), row_count: result.rowCount, command: result.command };
      }
      case 'begin':
        return { transaction: await this.#hold('BEGIN'), xid: null };
      case 'commit': {
        const { command } = await this.#release(request.transaction, 'COMMIT');
        if (command === 'COMMIT') return {};
        throw new StorageError(
          'storage_transaction_lost',
          'PostgreSQL rolled the transaction back because a statement in it failed.',
        );
      }
      case 'rollback':
        await this.#release(request.transaction, 'ROLLBACK');
        return {};
      case 'open': {
        const id = await this.#hold('BEGIN READ ONLY', request.batch_size);
        try {
          const { client } = this.#find(id, 'storage_cursor_lost');
          const text = `DECLARE trawl_cursor NO SCROLL CURSOR FOR ${request.text}`;
          await client.query(statement(text, request.params));
          return await this.#fetch(id);
        } catch (error) {
          await this.#release(id, 'ROLLBACK');
          throw error;
        }
      }
      case 'next':
        return this.#fetch(request.cursor);
      case 'close':
        // Closing the connection also ends a page that is being read. The last page has ended the cursor already.
        this.#held.get(request.cursor)?.client.release(true);
        this.#held.delete(request.cursor);
        return {};
    }
  }

  async #fetch(id: string): Promise<object> {
    const { client, batchSize } = this.#find(id, 'storage_cursor_lost');
    const text = `FETCH ${batchSize} FROM trawl_cursor`;
    const result = await client.query(statement(text, []));
    if (result.rows.length === batchSize) return { ...textRows(result), cursor: id };
    await this.#release(id, 'ROLLBACK');
    return { ...textRows(result), cursor: null };
  }

  async #hold(begin: string, batchSize = 0): Promise<string> {
    const client = await this.#pool.connect();
    try {
      await client.query(begin);
      if (this.#isClosed) throw new StorageError('run_ended', 'The run has ended.');
    } catch (error) {
      client.release(true);
      throw error;
    }
    const id = randomUUID();
    this.#held.set(id, { client, batchSize });
    return id;
  }

  #find(id: string, code: string): HeldClient {
    const held = this.#held.get(id);
    if (held) return held;
    throw new StorageError(code, 'The transaction or cursor has ended.');
  }

  async #release(id: string, end: string): Promise<{ command: string }> {
    const { client } = this.#find(id, 'storage_transaction_lost');
    this.#held.delete(id);
    try {
      return await client.query(end);
    } finally {
      client.release();
    }
  }
}

/** The extended protocol refuses a second statement, as the platform does. */
const statement = (text: string, values: (string | null)[]): pg.QueryArrayConfig =>
  ({ text, values, rowMode: 'array', types: AS_TEXT, queryMode: 'extended' }) as pg.QueryArrayConfig;

const textRows = ({ fields, rows }: pg.QueryArrayResult): object => ({
  fields: fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })),
  rows,
});

/** The PostgreSQL calls of one run outside the platform. */
export class LocalPostgres {
  #server: UserServer | undefined;

  /** Answers calls from the server in TRAWL_POSTGRES_URL. Never rejects. */
  readonly port: PostgresPort = async request => {
    const url = process.env.TRAWL_POSTGRES_URL;
    try {
      if (!url) {
        throw new StorageError(
          'storage_unavailable',
          'There is no PostgreSQL outside a run. Set TRAWL_POSTGRES_URL to a database of yours: postgresql://user:password@localhost:5432/database',
        );
      }
      if (this.#server?.url !== url) this.#server = new UserServer(url);
      return { result: await this.#server.answer(request) };
    } catch (error) {
      return { error: failureOf(error) };
    }
  };

  /** Rolls back what the run left open. Call it when the run has ended. */
  close(): void {
    this.#server?.close();
    this.#server = undefined;
  }
}

/** Answers the calls of this process. */
export const localPostgres = new LocalPostgres().port;

function failureOf(error: unknown): Extract<PostgresReply, { error: unknown }>['error'] {
  if (error instanceof StorageError) return { code: error.code, message: error.message };
  const { code = '', message, position } = error as pg.DatabaseError;
  // Errors of PostgreSQL have a code of five characters, those of the connection a longer one.
  if (!/^[0-9A-Z]{5}$/.test(code)) return { code: 'storage_unavailable', message: `PostgreSQL: ${message || code}` };
  const where = position === undefined ? '' : `, position ${position}`;
  return {
    code: code === '23505' ? 'storage_duplicate_key' : 'storage_rejected',
    message: `${message}. (SQLSTATE ${code}${where})`,
    sql_state: code,
    ...(position === undefined ? {} : { position: Number(position) }),
  };
}
