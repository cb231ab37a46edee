import type { Connection, FieldDef, QueryResult } from 'pg';
import Cursor from 'pg-cursor';

/** A row as PostgreSQL sends it: the text of each value. */
export type TextRow = (string | null)[];

/** The parts of pg-cursor that its types leave out. */
interface Internals {
  state: string;
  _cb: ((error: Error) => void) | null;
  _result: QueryResult & { fields: FieldDef[] };
}

const AS_TEXT = { getTypeParser: () => (value: string) => value } as never;

/**
 * A cursor over the result of one statement of a user. It uses PostgreSQL's extended protocol, which refuses a second
 * statement in the same text.
 */
export class StatementCursor extends Cursor<TextRow> {
  /** True if the statement is a COPY from or to the client, which Trawl does not support. */
  isCopy = false;

  constructor(text: string, values: (string | null)[]) {
    super(text, values, { rowMode: 'array', types: AS_TEXT });
  }

  get result(): QueryResult {
    return (this as unknown as Internals)._result;
  }

  /** pg calls this method for an error of PostgreSQL or of the connection. */
  handleError(error: Error): void {
    const internals = this as unknown as Internals;
    const waiting = internals._cb;
    if (internals.state === 'done' && waiting) {
      // The statement was complete, and then its transaction could not be committed. pg-cursor ignores such an error.
      internals._cb = null;
      waiting(error);
      return;
    }
    (Cursor.prototype as unknown as { handleError(error: Error): void }).handleError.call(this, error);
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
