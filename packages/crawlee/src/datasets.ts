import { type Collection, dataset, mongo } from '@trawl/storage';
import type { KeyValueStoreClient } from './key-value-stores.js';
import { requestOfTask } from './request-of-task.js';
import { type CrawleeRun, DEFAULT, infoOf, type Listing, listing, unsupported } from './run.js';

type Row = Record<string, unknown>;

interface ListOptions {
  offset?: number;
  limit?: number;
  desc?: boolean;
}

interface Page<Item> {
  total: number;
  count: number;
  offset: number;
  limit: number;
  desc: boolean;
  items: Item[];
}

/** Number of rows that one call reads. */
const PAGE_ROWS = 1_000;
/** Fields that Trawl adds to rows. */
const FIELDS_OF_TRAWL = ['_id', '_run', '_at', '_key', '_first', '_attempt', '_partial'];
/** Key of the default store with the ids of the retries that have stored rows. Crawlee allows no such key. */
const ATTEMPTS = '*attempts';
const NAME = /^(?!(?:dataset|kv|replay)_|system\.)[A-Za-z0-9][\w.-]{0,99}$/;

/** Rows: those of the run, or those of a named dataset, which is a collection. */
export class DatasetClient {
  readonly #collection: Collection;
  /** Locally, all runs have the same id. The rows of this one are later than this. */
  #since: Date | undefined;
  #noted: Promise<void> | undefined;

  /** @param values the default store of the run */
  constructor(
    readonly id: string,
    private readonly run: CrawleeRun,
    private readonly values: KeyValueStoreClient,
  ) {
    if (id !== DEFAULT && !NAME.test(id)) {
      throw new Error(
        `Dataset.open: a name has 1 to 100 letters, digits, dots, dashes and underscores, and does not begin with dataset_, kv_ or replay_; you sent ${JSON.stringify(id).slice(0, 120)}.`,
      );
    }
    this.#collection = mongo.collection(id === DEFAULT ? dataset.collectionName : id);
  }

  /** Leaves out the rows of earlier local runs. */
  purge(): void {
    this.#since = new Date();
  }

  async get(): Promise<object> {
    return { ...infoOf(this.id), itemCount: await this.#collection.countDocuments(await this.#filter()) };
  }

  async update(): Promise<never> {
    throw unsupported('Renaming a dataset', 'Push the rows to a dataset with the new name.');
  }

  async delete(): Promise<void> {
    await this.#collection.deleteMany(await this.#filter());
  }

  async downloadItems(): Promise<never> {
    throw unsupported(
      'downloadItems',
      'Use dataset.exportToCSV or dataset.exportToJSON, or export the rows in the panel.',
    );
  }

  /** @param items one row or a list, each as an object or as JSON text */
  async pushItems(items: Row | Row[] | string | string[]): Promise<void> {
    const rows = rowsOf(items);
    if (rows.length === 0) return;
    if (this.id !== DEFAULT) {
      await this.#collection.insertMany(rows);
      return;
    }
    if (this.run.id !== this.run.firstId) {
      this.#noted ??= this.#noteAttempt();
      await this.#noted;
    }
    await dataset.push(rows, { request: requestOfTask() });
  }

  listItems(options: ListOptions = {}): Listing<Page<Row>, Row> {
    return listing(
      () => this.#page(options),
      () => this.#rows(options),
    );
  }

  listEntries(options: ListOptions = {}): Listing<Page<[number, Row]>, [number, Row]> {
    const { offset = 0 } = options;
    const page = async () => {
      const { items, ...rest } = await this.#page(options);
      return { ...rest, items: items.map((row, index): [number, Row] => [offset + index, row]) };
    };
    const rows = () => this.#rows(options);
    return listing(page, async function* () {
      let index = offset;
      for await (const row of rows()) yield [index++, row] as [number, Row];
    });
  }

  async #page({ offset = 0, limit = Number.POSITIVE_INFINITY, desc = false }: ListOptions): Promise<Page<Row>> {
    const items: Row[] = [];
    for await (const row of this.#rows({ offset, limit, desc })) items.push(row);
    const total = await this.#collection.countDocuments(await this.#filter());
    return { total, count: items.length, offset, limit: Number.isFinite(limit) ? limit : items.length, desc, items };
  }

  async *#rows({ offset = 0, limit = Number.POSITIVE_INFINITY, desc = false }: ListOptions): AsyncGenerator<Row> {
    const filter = await this.#filter();
    let left = limit;
    for (let skip = offset; left > 0; skip += PAGE_ROWS) {
      const count = Math.min(left, PAGE_ROWS);
      const rows = await this.#collection.find(filter, { sort: { _id: desc ? -1 : 1 }, skip, limit: count }).toArray();
      for (const row of rows) {
        for (const field of FIELDS_OF_TRAWL) delete row[field];
        yield row;
      }
      if (rows.length < count) return;
      left -= rows.length;
    }
  }

  async #filter(): Promise<Row> {
    if (this.id !== DEFAULT) return {};
    const { id, firstId, isLocal } = this.run;
    if (isLocal) return { _run: id, ...(this.#since && { _at: { $gte: this.#since } }) };
    return id === firstId ? { _run: id } : { _run: { $in: [firstId, ...(await this.#attempts()), id] } };
  }

  /** Notes that this attempt stores rows, so that the next one finds them. */
  async #noteAttempt(): Promise<void> {
    const attempts = await this.#attempts();
    if (!attempts.includes(this.run.id)) await this.values.write(ATTEMPTS, JSON.stringify([...attempts, this.run.id]));
  }

  async #attempts(): Promise<string[]> {
    return JSON.parse(String((await this.values.read(ATTEMPTS))?.body ?? '[]'));
  }
}

function rowsOf(items: Row | Row[] | string | string[]): Row[] {
  const all: unknown = typeof items === 'string' ? JSON.parse(items) : items;
  const list = Array.isArray(all) ? all : [all];
  return list.map(item => (typeof item === 'string' ? JSON.parse(item) : { ...item }));
}
