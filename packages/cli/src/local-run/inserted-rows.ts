import {
  type NamedOperation,
  type PostgresFrame,
  type Row,
  rowOfChange,
  type StorageOperation,
} from '@trawl/contracts';

/** The collections of `dataset.push` and of `kv` in local runs. */
const OWN_COLLECTIONS = ['dataset_local', 'kv_local'];

const SENDING = ['insertMany', 'updateOne', 'updateMany', 'replaceOne'] as const satisfies StorageOperation['method'][];
const isSending = (request: NamedOperation): request is StorageOperation =>
  SENDING.some(method => method === request.method);

/** Rows by the collection or table that a run sends them to, such as `mongodb:books`; null if they are not all known. */
export type RowsByTarget = Record<string, Row[] | null>;

/** Collects the rows that a run on this computer sends with `mongo` and `postgres`. */
export class InsertedRows {
  readonly #rows = new Map<string, Row[]>();

  get all(): RowsByTarget {
    return Object.fromEntries(this.#rows);
  }

  async addDocuments(request: NamedOperation): Promise<void> {
    if (!isSending(request) || OWN_COLLECTIONS.includes(request.collection)) return;
    const { argumentsOf, insertedRow } = await import('./local-storage.js');
    const { docs, ...change } = argumentsOf(request);
    const rows = docs ?? [rowOfChange(change) ?? {}];
    this.#add(`mongodb:${request.db ? `${request.db}.` : ''}${request.collection}`, rows.map(insertedRow));
  }

  /** Returns the number of rows of a call of `postgres.insertMany`; null for another call. */
  async addTable(request: PostgresFrame['op'], table: string | undefined): Promise<number | null> {
    if (request.method !== 'query' || table === undefined) return null;
    const { insertedRow } = await import('./local-storage.js');
    const rows: Row[] = JSON.parse(request.params[0] ?? '[]');
    this.#add(`postgresql:${table}`, rows.map(insertedRow));
    return rows.length;
  }

  #add(target: string, rows: Row[]): void {
    const known = this.#rows.get(target);
    if (!known) this.#rows.set(target, rows);
    else for (const row of rows) known.push(row);
  }
}
