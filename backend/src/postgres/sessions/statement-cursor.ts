import type { Duplex } from 'node:stream';
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
  handleError(error: Error): void;
  handleDataRow(message: { length: number }): void;
  _sendRows(): void;
}

const inherited = Cursor.prototype as unknown as Internals;

/** PostgreSQL is asked for few rows first, and for more while they are small: each time is a journey to its server and back. */
const FIRST_ROWS = 32;
const MAX_ROWS = 256;
const SMALL_PAGE_BYTES = 128 * 1024;
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
  #rowsAtOnce = FIRST_ROWS;
  #bytes = 0;
  /** True while rows of a page wait in the connection. */
  #isPaused = false;

  constructor(text: string, values: (string | null)[]) {
    super(text, values, { rowMode: 'array', types: AS_TEXT });
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
    const isSmall = rows.length === asked && this.#bytes < SMALL_PAGE_BYTES && !this.#isPaused;
    this.#rowsAtOnce = isSmall ? Math.min(asked * 2, MAX_ROWS) : FIRST_ROWS;
    return rows;
  }

  /** Lets the rows that wait in the connection arrive, before the cursor or the connection is closed. */
  resume(): void {
    this.#isPaused = false;
    streamOf(this.#internals.connection).resume();
  }

  /** pg calls this method for each row. */
  handleDataRow(message: { length: number }): void {
    inherited.handleDataRow.call(this, message);
    this.#bytes += message.length;
    const { connection, _cb: waiting, _rows: rows } = this.#internals;
    if (this.#bytes < MAX_PAGE_BYTES || !waiting) return;
    this.#isPaused = true;
    streamOf(connection).pause();
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

const streamOf = (connection: Connection): Duplex => (connection as unknown as { stream: Duplex }).stream;
