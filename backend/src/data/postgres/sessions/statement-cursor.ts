import type { Connection, FieldDef, QueryResult } from 'pg';
import Cursor from 'pg-cursor';

/** A row as PostgreSQL sends it: the text of each value. */
export type TextRow = (string | null)[];

/** The parts of pg-cursor that its types leave out. */
interface Internals {
  state: 'initialized' | 'submitted' | 'idle' | 'busy' | 'done' | 'error';
  connection: Connection;
  _cb: ((error: Error | null, rows?: TextRow[]) => void) | null;
  _rows: TextRow[];
  _result: QueryResult & { fields: FieldDef[] };
  submit(connection: Connection): void;
  handleError(error: Error): void;
  handleDataRow(message: DataRow): void;
  handleCommandComplete(message: object): void;
  _closePortal(): void;
  _sendRows(): void;
}

interface DataRow {
  length: number;
  fields: (string | null)[];
}

/** Statements that a cursor sends together with that of the user, so that they take no round trips of their own. */
export interface AroundStatement {
  /** Statements of Trawl's own that begin a transaction. Their results are ignored. */
  before?: readonly string[];
  /** Whether to read the id of the transaction after the statement. */
  withTransactionId?: boolean;
  /** Name of a table as in SQL. Its schema and its name are read after the statement. */
  table?: string | undefined;
}

const TRANSACTION_ID = 'SELECT pg_catalog.pg_current_xact_id_if_assigned()::pg_catalog.text';
const TRANSACTION_ID_AND_TABLE = `${TRANSACTION_ID}, n.nspname, c.relname
  FROM (VALUES (pg_catalog.to_regclass($1))) AS named (oid)
  LEFT JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) named.oid
  LEFT JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace`;

const inherited = Cursor.prototype as unknown as Internals;

/** PostgreSQL is asked for few rows first, and for more while they are small: each time is a journey to its server and back. */
const FIRST_ROWS = 32;
const MAX_ROWS = 512;
const SMALL_PAGE_BYTES = 128 * 1024;
const LARGE_PAGE_BYTES = 512 * 1024;
/** Size of rows after which the rest of them waits in the connection. Nothing tells the size of a row before it arrives. */
const MAX_PAGE_BYTES = 1024 * 1024;

const AS_TEXT = { getTypeParser: () => (value: string) => value } as never;

/**
 * A cursor over the result of one statement of a user. It uses PostgreSQL's extended protocol, which refuses a second
 * statement in the same text.
 */
export class StatementCursor extends Cursor<TextRow> {
  /** True if the statement is a COPY from or to the client, which Trawl does not support. */
  isCopy = false;
  /** Id of the transaction, if it was asked for; null if the transaction has changed nothing. */
  transactionId: string | null = null;
  /** The table that was asked for; null if there is none of that name. */
  table: { schema: string; name: string } | null = null;
  readonly #around: AroundStatement;
  /** Number of statements before the user's that have not ended yet. */
  #pendingBefore: number;
  /** True when the user's statement is complete. */
  #isAfter = false;
  #rowsAtOnce = FIRST_ROWS;
  #bytes = 0;
  /** True while rows of a page wait in the connection. */
  #isPaused = false;

  constructor(text: string, values: (string | null)[], around: AroundStatement = {}) {
    super(text, values, { rowMode: 'array', types: AS_TEXT });
    this.#around = around;
    this.#pendingBefore = around.before?.length ?? 0;
    // pg calls this function to send the statement.
    this.submit = connection => {
      sendTogether(connection);
      for (const before of around.before ?? []) sendUnnamed(connection, before);
      inherited.submit.call(this, connection);
    };
  }

  get result(): QueryResult {
    return this.#internals._result;
  }

  /** True if there are no more rows to read. */
  get isDone(): boolean {
    return this.#internals.state === 'done' && !this.#isPaused;
  }

  get #internals(): Internals {
    return this as unknown as Internals;
  }

  /** Reads the next rows, at most `most`. Resolves to none after the last. */
  async readPage(most = MAX_ROWS): Promise<TextRow[]> {
    const rest = this.#isPaused ? await this.#readRest() : [];
    if (rest.length > 0) return rest;
    this.#bytes = 0;
    const asked = Math.min(this.#rowsAtOnce, most);
    const rows = await this.read(asked);
    // Rows of one statement may be small at first and large later, so the number falls at once and rises step by step.
    if (this.#isPaused || this.#bytes >= LARGE_PAGE_BYTES) this.#rowsAtOnce = FIRST_ROWS;
    else if (this.#bytes < SMALL_PAGE_BYTES) this.#rowsAtOnce = Math.min(this.#rowsAtOnce * 2, MAX_ROWS);
    return rows;
  }

  /** Lets the rows that wait in the connection arrive, before the cursor or the connection is closed. */
  resume(): void {
    this.#isPaused = false;
    this.#internals.connection.stream.resume();
  }

  /** pg calls this method for each statement that has ended without an error. */
  handleCommandComplete(message: object): void {
    if (this.#pendingBefore > 0) this.#pendingBefore -= 1;
    else if (!this.#isAfter) inherited.handleCommandComplete.call(this, message);
  }

  /** pg-cursor calls this method before the last message of the statement. */
  _closePortal(): void {
    const { state, connection } = this.#internals;
    if (state === 'done') return;
    if (state !== 'error') {
      sendTogether(connection);
      this.#isAfter = true;
      const { withTransactionId, table } = this.#around;
      if (table !== undefined) sendUnnamed(connection, TRANSACTION_ID_AND_TABLE, [table]);
      else if (withTransactionId) sendUnnamed(connection, TRANSACTION_ID);
    }
    inherited._closePortal.call(this);
  }

  /** pg calls this method for each row. */
  handleDataRow(message: DataRow): void {
    if (this.#pendingBefore > 0) return;
    if (this.#isAfter) {
      const [id = null, schema, name] = message.fields;
      this.transactionId = id;
      if (schema && name) this.table = { schema, name };
      return;
    }
    inherited.handleDataRow.call(this, message);
    this.#bytes += message.length;
    const { connection, _cb: waiting, _rows: rows } = this.#internals;
    if (this.#bytes < MAX_PAGE_BYTES || !waiting) return;
    this.#isPaused = true;
    connection.stream.pause();
    this.#internals._cb = null;
    this.#internals._rows = [];
    waiting(null, rows);
  }

  /** pg-cursor calls this method at the end of a page. What arrived with the rows that were read is kept for the next read. */
  _sendRows(): void {
    if (this.#isPaused) this.#internals.state = 'idle';
    else inherited._sendRows.call(this);
  }

  /** Reads what is left of a page; none if it had ended. */
  async #readRest(): Promise<TextRow[]> {
    const internals = this.#internals;
    const { state, _rows: rows } = internals;
    this.#bytes = 0;
    if (state !== 'busy') {
      internals._rows = [];
      this.resume();
      return state === 'error' ? [] : rows;
    }
    return new Promise((resolve, reject) => {
      internals._cb = (error, more = []) => (error ? reject(error) : resolve(more));
      this.resume();
    });
  }

  /** pg calls this method for an error of PostgreSQL or of the connection. */
  handleError(error: Error): void {
    const internals = this.#internals;
    const waiting = internals._cb;
    if (internals.state === 'done' && waiting) {
      // The statement was complete, and then its transaction could not be committed. pg-cursor ignores such an error.
      internals._cb = null;
      waiting(error);
      return;
    }
    inherited.handleError.call(this, error);
  }

  /** pg calls this method for `COPY … FROM STDIN`. pg-cursor does not have it. */
  handleCopyInResponse(connection: Connection & { sendCopyFail(reason: string): void }): void {
    this.isCopy = true;
    connection.sendCopyFail('Trawl does not support COPY FROM STDIN. Use INSERT.');
  }

  /** pg calls this method for each row of `COPY … TO STDOUT`. pg-cursor does not have it. */
  handleCopyData(): void {
    this.isCopy = true;
  }
}

/** Sends a statement whose columns nobody asks for. */
function sendUnnamed(connection: Connection, text: string, values: string[] = []): void {
  connection.parse({ name: '', text, types: [] }, true);
  connection.bind({ values }, true);
  connection.execute(null, true);
}

/** Sends all messages of this turn of the event loop together. Otherwise each is a packet of its own. */
function sendTogether({ stream }: Connection): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}
