import { DatabaseError } from 'pg';
import { LostCommit, type Session } from '../../../data/postgres/sessions/session.js';
import type { TableParams } from '../import-params.js';
import { quoted, type TableColumn } from './table-columns.js';
import { copyLine, type RowValues } from './table-values.js';

/** A row of the file, with its values in the order of the import's columns. */
export interface TableRow {
  number: number;
  values: RowValues;
}

/** Rows that name the same columns. */
interface Group {
  columns: TableColumn[];
  rows: TableRow[];
}

interface Counts {
  inserted: number;
  updated: number;
}

const UNIQUE_VIOLATION = '23505';
/** Errors of PostgreSQL about a value or a row: its data, a constraint, an exception of a trigger, or a limit of an index. */
const ABOUT_THE_ROW = /^(21|22|23|P0|54)/;

const LOCK_NOT_AVAILABLE = '55P03';
/** Codes and constraints of the errors of `CREATE TABLE` if the table exists, or another transaction commits it meanwhile. */
const EXISTS = ['42P07', '42710'];
const NAMES_OF_TABLES = ['pg_class_relname_nsp_index', 'pg_type_typname_nsp_index'];
/** How long `CREATE TABLE` waits for a transaction that has created the table. Shorter than the time limit of a statement. */
const CREATE_WAIT = '10s';

/** Rows wait here until they update those of the table. It has the name of no table of the user, and is gone after COMMIT. */
const STAGING = 'pg_temp.trawl_import';
const NUMBER = 'trawl_number';

/** Writes rows into a table, in a transaction of the session. */
export class TableWriter {
  inserted = 0;
  updated = 0;
  readonly #target: string;
  readonly #columns: string;
  /** The column with the numbers of rows in the staging table, unlike those of the table. */
  readonly #number: string;

  constructor(
    private readonly session: Session,
    private readonly params: TableParams,
  ) {
    const { schema, table, columns } = params;
    this.#target = `${quoted(schema)}.${quoted(table)}`;
    this.#columns = listOf(columns);
    const taken = columns.map(({ field }) => field);
    let number = NUMBER;
    while (taken.includes(number)) number += '_';
    this.#number = quoted(number);
  }

  /** Begins the transaction, and creates the table if it is new. */
  async begin(): Promise<void> {
    await this.session.begin('write');
    const { key, creates } = this.params;
    if (creates) await this.#create();
    if (!this.#updates) return;
    await this.session.executeOwn(
      `CREATE TEMP TABLE trawl_import ON COMMIT DROP AS
         SELECT 0::int AS ${this.#number}, ${this.#columns} FROM ${this.#target} WITH NO DATA;
       ALTER TABLE ${STAGING} ADD UNIQUE (${listOfNames(key)});
       CREATE INDEX ON ${STAGING} (${this.#number})`,
    );
  }

  /** Whether rows can update those of the table. A new one has none. */
  get #updates(): boolean {
    return this.params.key.length > 0 && !this.params.creates;
  }

  async #create(): Promise<void> {
    const { columns, key } = this.params;
    const definitions = columns.map(({ field, type }) => `${quoted(field)} ${type}`);
    if (key.length > 0) definitions.push(`PRIMARY KEY (${listOfNames(key)})`);
    await this.session.executeOwn(
      `SET LOCAL lock_timeout = '${CREATE_WAIT}';
       CREATE TABLE ${this.#target} (${definitions.join(', ')});
       SET LOCAL lock_timeout = DEFAULT`,
    );
  }

  /** Stores rows, and returns the reason for each row that PostgreSQL refuses. */
  async store(rows: TableRow[]): Promise<Map<TableRow, string>> {
    const refused = new Map<TableRow, string>();
    await this.#storeAll(rows, refused);
    return refused;
  }

  /** Halves the rows until it is only the row that PostgreSQL refuses. */
  async #storeAll(rows: TableRow[], refused: Map<TableRow, string>): Promise<void> {
    await this.session.executeOwn('SAVEPOINT trawl_rows');
    try {
      await this.#send(rows);
    } catch (error) {
      if (!isAboutRow(error)) throw error;
      await this.session.executeOwn('ROLLBACK TO SAVEPOINT trawl_rows; RELEASE SAVEPOINT trawl_rows');
      const [first] = rows;
      if (rows.length === 1 && first) {
        refused.set(first, this.#reasonOf(error));
        return;
      }
      const middle = Math.ceil(rows.length / 2);
      await this.#storeAll(rows.slice(0, middle), refused);
      await this.#storeAll(rows.slice(middle), refused);
      return;
    }
    await this.session.executeOwn('RELEASE SAVEPOINT trawl_rows');
  }

  async #send(rows: TableRow[]): Promise<void> {
    if (this.#updates) {
      const lines = rows.map(({ number, values }) => copyLine([String(number), ...values])).join('');
      await this.session.copyIn(`COPY ${STAGING} (${this.#number}, ${this.#columns}) FROM STDIN`, lines);
    }
    const counts: Counts[] = [];
    for (const group of this.#groups(rows)) {
      counts.push(this.#updates ? await this.#merge(group) : { inserted: await this.#insert(group), updated: 0 });
    }
    // If a group is refused, PostgreSQL rolls all of them back.
    for (const { inserted, updated } of counts) {
      this.inserted += inserted;
      this.updated += updated;
    }
  }

  /**
   * Groups rows by the columns that they name, because a statement has one list of columns. Without updates, NULL is as good
   * as a column that the row does not name and that has no default.
   */
  #groups(rows: TableRow[]): Group[] {
    const groups = new Map<string, Group>();
    for (const row of rows) {
      const columns = this.params.columns.filter(
        ({ has_default }, at) => row.values[at] !== undefined || !(this.#updates || has_default),
      );
      const id = columns.map(({ index }) => index).join();
      const group = groups.get(id) ?? { columns, rows: [] };
      groups.set(id, group);
      group.rows.push(row);
    }
    return [...groups.values()];
  }

  async #insert({ columns, rows }: Group): Promise<number> {
    // COPY needs a column.
    if (columns.length === 0) {
      return this.session.executeOwn(
        `INSERT INTO ${this.#target} SELECT FROM pg_catalog.generate_series(1, ${rows.length})`,
      );
    }
    const places = columns.map(column => this.params.columns.indexOf(column));
    const lines = rows.map(({ values }) => copyLine(places.map(at => values[at]))).join('');
    return this.session.copyIn(`COPY ${this.#target} (${listOf(columns)}) FROM STDIN`, lines);
  }

  /** Moves staged rows into the table: those with a new key are added, the others set the columns that they name. */
  async #merge({ columns, rows }: Group): Promise<Counts> {
    const isIn = `s.${this.#number} = ANY ('{${rows.map(({ number }) => number).join()}}'::pg_catalog.int4[])`;
    const { key } = this.params;
    const isSame = key.map(name => `t.${quoted(name)} = s.${quoted(name)}`).join(' AND ');
    // `SELECT 1 … FROM` counts as rows that the statement returned.
    const found = await this.session.executeOwn(
      `SELECT 1 FROM ${STAGING} s WHERE ${isIn} AND EXISTS (SELECT 1 FROM ${this.#target} t WHERE ${isSame})`,
    );
    const others = columns.filter(({ field }) => !key.includes(field));
    const set = others.map(({ field }) => `${quoted(field)} = EXCLUDED.${quoted(field)}`).join(', ');
    const stored = await this.session.executeOwn(
      `INSERT INTO ${this.#target} (${listOf(columns)}) OVERRIDING SYSTEM VALUE
       SELECT ${listOf(columns)} FROM ${STAGING} s WHERE ${isIn} ORDER BY ${this.#number}
       ON CONFLICT (${listOfNames(key)}) ${others.length > 0 ? `DO UPDATE SET ${set}` : 'DO NOTHING'}`,
    );
    // Nothing is stored for a row that is found and names only its key.
    if (others.length === 0) return { inserted: stored, updated: found };
    const updated = Math.min(found, stored);
    return { inserted: stored - updated, updated };
  }

  /** Checks what the table checks at COMMIT, and returns the id of the transaction. */
  async prepare(): Promise<string> {
    await this.session.executeOwn('SET CONSTRAINTS ALL IMMEDIATE');
    return String(await this.session.transactionId());
  }

  #reasonOf({ message, detail, code, where }: DatabaseError): string {
    const { key } = this.params;
    const isOfFile = this.#updates ? where === undefined || where.includes('trawl_import') : this.params.creates;
    if (code === UNIQUE_VIOLATION && isOfFile && key.length > 0) {
      return `An earlier row of the file has the same ${key.length === 1 ? key[0] : `values of ${key.join(', ')}`}.`;
    }
    const [, column] = /, column ([^\n]*?)(: |$)/.exec(where?.split('\n')[0] ?? '') ?? [];
    const reason = `${column === undefined ? '' : `${column}: `}${message}.${detail ? ` ${detail}` : ''}`;
    return reason.slice(0, 1_000);
  }
}

/** Whether a transaction that has not ended has created the table. */
export const isStillCreated = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE;

/** Whether the table could not be created, because something else creates it or has created it. */
export const isCreatedElsewhere = (error: unknown): boolean =>
  isStillCreated(error) ||
  (error instanceof DatabaseError &&
    (EXISTS.includes(error.code ?? '') ||
      (error.code === UNIQUE_VIOLATION && NAMES_OF_TABLES.includes(error.constraint ?? ''))));

const listOfNames = (names: string[]): string => names.map(quoted).join(', ');
const listOf = (columns: TableColumn[]): string => listOfNames(columns.map(({ field }) => field));

const isAboutRow = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && !(error instanceof LostCommit) && ABOUT_THE_ROW.test(error.code ?? '');
