import type { PostgresFrame, Row, StorageFrame } from '@trawl/contracts';

/** The collections of `dataset.push` and of `kv` in local runs. */
const OWN_COLLECTIONS = ['dataset_local', 'kv_local'];

/** Rows by the collection or table that a run inserts them into, such as `mongodb:books`; null if they are not all known. */
export type RowsByTarget = Record<string, Row[] | null>;

/** Collects the rows that a run on this computer inserts with `mongo` and `postgres`, as its code sends them. */
export class InsertedRows {
  readonly #rows = new Map<string, Row[]>();

  get all(): RowsByTarget {
    return Object.fromEntries(this.#rows);
  }

  async addDocuments(request: StorageFrame['op']): Promise<void> {
    const { collection, method } = request;
    if (method !== 'insertMany' || OWN_COLLECTIONS.includes(collection)) return;
    const { insertedBy } = await import('./local-storage.js');
    this.#add(`mongodb:${request.db ? `${request.db}.` : ''}${collection}`, insertedBy(request));
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
