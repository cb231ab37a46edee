import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { FieldDef, PoolClient } from 'pg';
import { from } from 'pg-copy-streams';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import { USER_CODE } from '../databases/user-code.js';
import { RESET } from '../server/runaways.service.js';
import { CallGuard, type CallLimits, type InterruptSession } from './call-guard.js';
import { isLost } from './postgres-failures.js';
import { type AroundStatement, StatementCursor, type TextRow } from './statement-cursor.js';

export interface StatementResult {
  fields: { name: string; type: number }[];
  rows: TextRow[];
  /** Number of rows that the statement returned or changed; null if PostgreSQL does not say. */
  row_count: number | null;
  /** The first word of the statement, as PostgreSQL understood it: `SELECT`, `INSERT`, `CREATE`, … */
  command: string;
  /** True if there are more rows than `rows` has. */
  truncated: boolean;
}

export interface ResultColumn {
  name: string;
  type: number;
  modifier: number;
}

export interface ResultLimits {
  rows: number;
  /** Size of all values as text. */
  bytes: number;
}

interface Internals {
  processID: number;
  connection: EventEmitter & { stream: Duplex };
  getTransactionStatus(): 'I' | 'T' | 'E' | null;
}

/** The connection broke during COMMIT, so the transaction may be committed. */
export class LostCommit extends StorageFailure {
  /** @param reason why Trawl interrupted the call, if it did */
  constructor(readonly reason?: StorageFailure) {
    super(
      'storage_outcome_unknown',
      'The connection to PostgreSQL broke during COMMIT, and PostgreSQL cannot say whether the transaction was committed. Check the data before you repeat it.',
    );
  }
}

/** The statements that begin a transaction. */
export const BEGIN = {
  write: ['BEGIN'],
  // In a transaction without a query, `SET TRANSACTION READ WRITE` is allowed. So execute a query first.
  read: ['BEGIN READ ONLY', 'SELECT 1'],
} as const;

const DISCARD_MS = 5_000;

/** A connection that is logged in as the role of an account. One call at a time uses it. */
export class Session {
  /** True if the session cannot be used again. Then PostgreSQL rolls back what it was doing. */
  isBroken = false;
  #guard: CallGuard | undefined;
  /** Why Trawl ended the session. */
  #failure: StorageFailure | undefined;
  #isUtf8 = true;

  constructor(
    private readonly client: PoolClient,
    private readonly interrupt: (pid: number, ...args: Parameters<InterruptSession>) => ReturnType<InterruptSession>,
    private readonly onRelease: () => void,
  ) {
    this.#internals.connection.on('parameterStatus', this.#noteParameter);
  }

  get pid(): number {
    return this.#internals.processID;
  }

  /** `I`: no transaction. `T`: in a transaction. `E`: in a transaction in which a statement failed. */
  get transactionStatus(): 'I' | 'T' | 'E' | null {
    return this.#internals.getTransactionStatus();
  }

  get #internals(): Internals {
    return this.client as unknown as Internals;
  }

  /**
   * Executes `work` on this session within limits.
   * @throws {StorageFailure} for a reached limit; the errors of `work`.
   */
  async within<T>(limits: CallLimits, work: () => Promise<T>): Promise<T> {
    if (this.#failure) throw this.#failure;
    if (limits.signal?.aborted) throw new StorageFailure('storage_rejected', 'The statement was cancelled.');
    const guard = new CallGuard(this.#internals.connection.stream, how => this.interrupt(this.pid, how), limits);
    this.#guard = guard;
    try {
      return await work();
    } catch (error) {
      if (isLost(error)) this.isBroken = true;
      // Only then is it known whether an interrupted call has stopped.
      await guard.end();
      const failure = this.#failure ?? guard.failure;
      // The reason of an interruption does not tell whether the transaction was committed.
      throw error instanceof LostCommit ? new LostCommit(failure) : (failure ?? error);
    } finally {
      await guard.end();
      // A cancellation may arrive late, so the session is not used again.
      if (guard.failure) this.isBroken = true;
    }
  }

  async begin(mode: 'write' | 'read'): Promise<void> {
    await this.client.query(BEGIN[mode].join('; '));
  }

  /**
   * Makes the transactions of VACUUM read-only. It does its work in them, but functions in the indexes of the user, which
   * VACUUM calls, cannot insert rows past the quota.
   */
  async prepareVacuum(): Promise<void> {
    await this.client.query('SET default_transaction_read_only = on');
  }

  /**
   * Returns what keeps VACUUM FULL and VACUUM ANALYZE from being executed when they must not write: they call functions of
   * the user, in which PostgreSQL lets `EXPLAIN ANALYZE CREATE TABLE … AS` create its table. Returns null if there is nothing.
   */
  async userCodeInVacuum(): Promise<string | null> {
    const results = await this.client.query(
      `SET search_path = pg_catalog, pg_temp; ${USER_CODE} LIMIT 1; RESET search_path`,
    );
    const [, found] = results as unknown as { rows: { what: string }[] }[];
    return found?.rows[0]?.what ?? null;
  }

  /** Names the session until it is released, so that others can find it in `pg_stat_activity`. */
  async name(label: string): Promise<void> {
    await this.client.query(`SELECT pg_catalog.set_config('application_name', $1, false)`, [label]);
  }

  async typeNames(fields: StatementResult['fields']): Promise<string[]> {
    if (fields.length === 0) return [];
    const { rows } = await this.client.query<{ name: string }>(
      `SELECT pg_catalog.format_type(type, NULL) AS name
         FROM pg_catalog.unnest($1::pg_catalog.oid[]) WITH ORDINALITY AS f (type, n) ORDER BY n`,
      [fields.map(({ type }) => type)],
    );
    return rows.map(({ name }) => name);
  }

  /** Begins a transaction and returns its id, by which `outcomeOf` later finds out whether it was committed. */
  async beginWithId(): Promise<string> {
    await this.client.query('BEGIN');
    const { rows } = await this.client.query<{ id: string }>(
      'SELECT pg_catalog.pg_current_xact_id()::pg_catalog.text AS id',
    );
    return String(rows[0]?.id);
  }

  /** Returns whether this transaction is still the one with the id, and not a later one. */
  async isIn(id: string): Promise<boolean> {
    if (this.transactionStatus !== 'T') return this.transactionStatus === 'E';
    return (await this.transactionId()) === id;
  }

  async outcomeOf(id: string): Promise<'committed' | 'aborted' | 'in progress' | null> {
    const { rows } = await this.client.query<{ status: 'committed' | 'aborted' | 'in progress' | null }>(
      'SELECT pg_catalog.pg_xact_status($1::pg_catalog.xid8) AS status',
      [id],
    );
    return rows[0]?.status ?? null;
  }

  /** Returns the id of the transaction, by which `outcomeOf` finds out its outcome; null if it has changed nothing. */
  async transactionId(): Promise<string | null> {
    const { rows } = await this.client.query<{ id: string | null }>(
      'SELECT pg_catalog.pg_current_xact_id_if_assigned()::pg_catalog.text AS id',
    );
    return rows[0]?.id ?? null;
  }

  /**
   * Commits. Returns false if PostgreSQL rolled back instead, because a statement had failed.
   * @throws {LostCommit} if the connection breaks.
   */
  async commit(): Promise<boolean> {
    try {
      const { command } = await this.client.query('COMMIT');
      return command === 'COMMIT';
    } catch (error) {
      if (!isLost(error)) throw error;
      this.isBroken = true;
      throw new LostCommit();
    }
  }

  /** Ends the session, and with it the transaction. Its current call or its next one throws `failure`. */
  async end(failure: StorageFailure): Promise<void> {
    this.#failure = failure;
    this.isBroken = true;
    await this.interrupt(this.pid, 'terminate');
  }

  /** Returns whether an error has ended the transaction, or the session with it. */
  async hasNoTransaction(): Promise<boolean> {
    try {
      // PostgreSQL tells the status when it is ready for the next statement.
      await this.client.query('');
      return this.transactionStatus === 'I';
    } catch {
      return true;
    }
  }

  /** Makes the transaction fail, as an error of a statement does. PostgreSQL can then only roll it back. */
  async fail(): Promise<void> {
    await this.client.query('SELECT 1 OPERATOR(pg_catalog./) 0').catch(error => {
      if (isLost(error)) throw error;
    });
  }

  /**
   * Ends a transaction that only reads, without a commit: `EXPLAIN ANALYZE CREATE TABLE … AS` creates its table in a read-only
   * transaction, too. Returns false if a statement had failed.
   */
  async endReading(): Promise<boolean> {
    const hasFailed = this.transactionStatus === 'E';
    await this.rollback();
    return !hasFailed;
  }

  async rollback(): Promise<void> {
    await this.client.query('ROLLBACK');
  }

  /** Executes statements of Trawl's own. Text of the user in them must be quoted. */
  async executeOwn(text: string): Promise<number> {
    return (await this.client.query(text)).rowCount ?? 0;
  }

  /**
   * Sends lines to a `COPY … FROM STDIN`, and returns the number of rows that PostgreSQL stored.
   * @throws the error of PostgreSQL or of the connection.
   */
  async copyIn(text: string, lines: string): Promise<number> {
    const copy = this.client.query(from(text));
    copy.end(lines);
    await finished(copy);
    return copy.rowCount;
  }

  /** Executes one statement and reads its rows. `transactionId` and `table` are null unless `around` asks for them. */
  async execute(
    text: string,
    params: (string | null)[],
    limits: ResultLimits,
    around?: AroundStatement,
  ): Promise<StatementResult & Pick<StatementCursor, 'transactionId' | 'table'>> {
    const cursor = this.open(text, params, around);
    const rows: TextRow[] = [];
    let bytes = 0;
    let truncated = false;
    do {
      for (const row of await this.read(cursor, limits.rows - rows.length + 1)) {
        bytes += bytesOf(row);
        truncated = rows.length === limits.rows || bytes > limits.bytes;
        if (truncated) break;
        rows.push(row);
      }
    } while (!truncated && !cursor.isDone);
    if (truncated) await this.close(cursor);
    await this.#checkEncoding();
    const { rowCount, command } = cursor.result;
    const fields = fieldsOf(cursor);
    return {
      fields,
      rows,
      // PostgreSQL counts only the rows of the last read.
      row_count: fields.length > 0 ? rows.length : rowCount,
      command: command ?? '',
      truncated,
      transactionId: cursor.transactionId,
      table: cursor.table,
    };
  }

  /** Opens a cursor over the rows of one statement. It blocks the session until its last row is read or it is closed. */
  open(text: string, params: (string | null)[], around?: AroundStatement): StatementCursor {
    // PostgreSQL ends a text at NUL and would read the rest of it as a part of the protocol.
    if (text.includes('\0'))
      throw new StorageFailure('storage_rejected', 'A statement must not contain NUL characters.');
    return this.client.query(new StatementCursor(text, params, around));
  }

  /** Reads the next rows of a cursor, at most `most`; none after the last. */
  async read(cursor: StatementCursor, most?: number): Promise<TextRow[]> {
    this.#guard?.resetReceived();
    const page = await cursor.readPage(most);
    if (cursor.isCopy) {
      throw new StorageFailure(
        'storage_rejected',
        'Trawl does not support COPY to or from the client. Use SELECT or INSERT.',
      );
    }
    return page;
  }

  /** Closes a cursor before its last row. @throws an error if the connection breaks. */
  async close(cursor: StatementCursor): Promise<void> {
    if (this.isBroken) return;
    const { connection } = this.#internals;
    // pg-cursor would wait for a broken connection.
    let broken = () => {};
    const breaking = new Promise<never>((_, reject) => {
      broken = () => reject(new Error('Connection terminated'));
      connection.once('end', broken);
    });
    try {
      const closing = cursor.close();
      cursor.resume();
      await Promise.race([closing, breaking]);
    } finally {
      connection.off('end', broken);
    }
  }

  /** Resets the session and gives it back. Closes it if that fails. */
  async release(): Promise<void> {
    this.onRelease();
    const { connection } = this.#internals;
    connection.off('parameterStatus', this.#noteParameter);
    // Rows that nobody reads would keep PostgreSQL from seeing that the connection ends.
    if (connection.stream.isPaused()) {
      this.isBroken = true;
      connection.stream.destroy();
    }
    try {
      if (this.isBroken) throw new Error('broken');
      await Promise.race([this.#discard(), delay(DISCARD_MS, undefined, { ref: false }).then(throwTimeout)]);
      this.client.release();
    } catch {
      this.client.release(true);
    }
  }

  /** Called when a setting has changed that PostgreSQL reports. */
  readonly #noteParameter = (message: { parameterName: string; parameterValue: string }): void => {
    if (message.parameterName === 'client_encoding') this.#isUtf8 = message.parameterValue === 'UTF8';
  };

  /** @throws {StorageFailure} if the statement has changed the encoding. Its result then has wrong characters. */
  async #checkEncoding(): Promise<void> {
    if (this.#isUtf8) return;
    if (this.transactionStatus === 'T') await this.fail();
    throw new StorageFailure('storage_rejected', 'Trawl reads results as UTF-8. Do not change client_encoding.');
  }

  async #discard(): Promise<void> {
    if (this.transactionStatus !== 'I') await this.rollback();
    await this.client.query(RESET);
  }
}

/** Returns the columns of a result. `type` is PostgreSQL's number of the type. */
export const fieldsOf = (cursor: StatementCursor): StatementResult['fields'] =>
  (cursor.result.fields ?? []).map(({ name, dataTypeID }: FieldDef) => ({ name, type: dataTypeID }));

/** Does the same with `modifier`, the length or precision of a type. */
export const columnsOf = (cursor: StatementCursor): ResultColumn[] =>
  (cursor.result.fields ?? []).map(({ name, dataTypeID, dataTypeModifier }: FieldDef) => ({
    name,
    type: dataTypeID,
    modifier: dataTypeModifier,
  }));

/** Size of a row as JSON text, roughly. */
export const bytesOf = (row: TextRow): number =>
  row.reduce((sum, value) => sum + (value === null ? 5 : Buffer.byteLength(value) + 3), 2);

function throwTimeout(): never {
  throw new Error('PostgreSQL did not reset the session in time.');
}
