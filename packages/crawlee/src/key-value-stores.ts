import { type Collection, kv, mongo } from '@trawl/storage';
import { type CrawleeRun, DEFAULT, infoOf, type Listing, listing, unsupported } from './run.js';

/** A value as `kv` keeps it. */
interface Stored {
  contentType: string;
  size: number;
  body: unknown;
}

interface KeyValueRecord {
  key: string;
  value: unknown;
  contentType?: string;
}

interface ListOptions {
  limit?: number;
  exclusiveStartKey?: string;
  prefix?: string;
}

interface KeyPage {
  count: number;
  limit: number;
  exclusiveStartKey: string | undefined;
  isTruncated: boolean;
  nextExclusiveStartKey: string | undefined;
  items: { key: string; size: number }[];
}

const RUNS = 'crawlee/run/';
const STORES = 'crawlee/store/';
/** The values of a run are deleted after this time. */
const KEPT_MS = 7 * 24 * 3_600_000;
const INPUT = 'INPUT';
const PAGE_KEYS = 1_000;
const MAX_KEY_CHARS = 200;
/** Comes after every character of a key. */
const LAST = '\uffff';
const JSON_TYPE = 'application/json; charset=utf-8';
const IS_TEXT = /^(?:text\/|application\/(?:xml|xhtml\+xml|javascript))/;

/** Values of `kv` whose keys begin with the name of a store, or with the id of the run. */
export class KeyValueStoreClient {
  readonly #prefix: string;
  #cleaned: Promise<unknown> | undefined;

  constructor(
    readonly id: string,
    private readonly run: CrawleeRun,
  ) {
    if (id !== DEFAULT && !/^[\w.-]{1,60}$/.test(id)) {
      throw new Error(
        `KeyValueStore.open: a name has 1 to 60 letters, digits, dots, dashes and underscores; you sent ${JSON.stringify(id).slice(0, 120)}.`,
      );
    }
    this.#prefix = id === DEFAULT ? `${RUNS}${run.firstId}/` : `${STORES}${id}/`;
  }

  async get(): Promise<object> {
    return infoOf(this.id);
  }

  async update(): Promise<never> {
    throw unsupported('Renaming a key-value store', 'Set the values in a store with the new name.');
  }

  async delete(): Promise<void> {
    for await (const key of this.keys()) await this.deleteRecord(key);
  }

  async recordExists(key: string): Promise<boolean> {
    if (this.#isInput(key)) return true;
    return (await this.#collection.findOne({ _id: this.#keyOf(key) }, { projection: { _id: 1 } })) !== null;
  }

  async getRecord(key: string, { buffer = false }: { buffer?: boolean } = {}): Promise<KeyValueRecord | undefined> {
    const stored = this.#isInput(key) ? { contentType: JSON_TYPE, body: this.run.input } : await this.read(key);
    if (!stored) return undefined;
    const { contentType } = stored;
    const body = bytesOf(stored.body);
    return { key, contentType, value: buffer ? body : parsed(body, contentType) };
  }

  async setRecord({ key, value, contentType }: KeyValueRecord): Promise<void> {
    if (value === null || value === undefined) {
      await this.deleteRecord(key);
      return;
    }
    if (typeof value === 'object' && 'pipe' in value) {
      const pieces: Buffer[] = [];
      for await (const piece of value as unknown as AsyncIterable<Buffer | string>)
        pieces.push(Buffer.from(piece as string));
      await this.write(key, Buffer.concat(pieces), contentType ?? 'application/octet-stream');
    } else if (typeof value === 'string') {
      await this.write(key, value, contentType ?? 'text/plain; charset=utf-8');
    } else if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
      await this.write(key, bytesOf(value), contentType ?? 'application/octet-stream');
    } else {
      await this.write(key, JSON.stringify(value), contentType ?? JSON_TYPE);
    }
  }

  async deleteRecord(key: string): Promise<void> {
    await kv.delete(this.#keyOf(key));
  }

  listKeys(options: ListOptions = {}): Listing<KeyPage, { key: string; size: number }> {
    const pages = () => this.#pages(options);
    return listing(
      () => this.#page(options),
      async function* () {
        for await (const { items } of pages()) yield* items;
      },
    );
  }

  keys(options: ListOptions = {}): Listing<KeyPage, string> {
    const pages = () => this.#pages(options);
    return listing(
      () => this.#page(options),
      async function* () {
        for await (const { items } of pages()) for (const { key } of items) yield key;
      },
    );
  }

  values(options: ListOptions = {}): Listing<unknown[], unknown> {
    const entries = () => this.#entries(options);
    const all = async (): Promise<unknown[]> => {
      const values: unknown[] = [];
      for await (const [, value] of entries()) values.push(value);
      return values;
    };
    return listing(all, async function* () {
      for await (const [, value] of entries()) yield value;
    });
  }

  entries(options: ListOptions = {}): Listing<[string, unknown][], [string, unknown]> {
    const entries = () => this.#entries(options);
    const all = async (): Promise<[string, unknown][]> => {
      const found: [string, unknown][] = [];
      for await (const entry of entries()) found.push(entry);
      return found;
    };
    return listing(all, entries);
  }

  /** Reads a value as it is stored; undefined if there is none. */
  async read(key: string): Promise<Stored | undefined> {
    return ((await kv.get(this.#keyOf(key))) as Stored | null) ?? undefined;
  }

  async write(key: string, body: string | Buffer, contentType = JSON_TYPE): Promise<void> {
    if (this.id === DEFAULT && !this.run.isLocal) {
      this.#cleaned ??= this.#cleanRuns();
      await this.#cleaned;
    }
    await kv.set(this.#keyOf(key), { contentType, size: Buffer.byteLength(body), body } satisfies Stored);
  }

  /** Deletes the values of runs that started long ago. */
  async #cleanRuns(): Promise<void> {
    // The ids of runs begin with the time of their start.
    const time = (Date.now() - KEPT_MS).toString(16).padStart(12, '0');
    const old = { $gte: RUNS, $lt: `${RUNS}${time.slice(0, 8)}-${time.slice(8)}` };
    await this.#collection.deleteMany({ $or: [{ _id: old }, { key: old }] });
  }

  async *#pages(options: ListOptions): AsyncGenerator<KeyPage> {
    let { exclusiveStartKey, limit = Number.POSITIVE_INFINITY } = options;
    for (;;) {
      const page = await this.#page({
        ...options,
        ...(exclusiveStartKey !== undefined && { exclusiveStartKey }),
        limit: Math.min(limit, PAGE_KEYS),
      });
      yield page;
      limit -= page.count;
      exclusiveStartKey = page.nextExclusiveStartKey;
      if (exclusiveStartKey === undefined || limit <= 0) return;
    }
  }

  async *#entries(options: ListOptions): AsyncGenerator<[string, unknown]> {
    for await (const { items } of this.#pages(options)) {
      for (const { key } of items) {
        const record = await this.getRecord(key);
        if (record) yield [key, record.value];
      }
    }
  }

  async #page({ exclusiveStartKey, limit = PAGE_KEYS, prefix = '' }: ListOptions): Promise<KeyPage> {
    const from = `${this.#prefix}${prefix}`;
    const after = exclusiveStartKey === undefined ? '' : `${this.#prefix}${exclusiveStartKey}`;
    const found = await this.#collection
      .find(
        { _id: { $gte: from, $lt: from + LAST, ...(after && { $gt: after }) } },
        { projection: { 'value.size': 1 }, sort: { _id: 1 }, limit: limit + 1 },
      )
      .toArray();
    const isTruncated = found.length > limit;
    const items: { key: string; size: number }[] = [];
    for (const { _id, value } of found.slice(0, limit)) {
      const key = String(_id).slice(this.#prefix.length);
      // Large values are in parts, and have no size beside them.
      const size = (value as Stored | undefined)?.size ?? (await this.read(key))?.size ?? 0;
      if (!key.startsWith('*')) items.push({ key, size });
    }
    const last = isTruncated ? String(found[limit - 1]?._id).slice(this.#prefix.length) : undefined;
    return { count: items.length, limit, exclusiveStartKey, isTruncated, nextExclusiveStartKey: last, items };
  }

  get #collection(): Collection {
    return mongo.collection(`kv_${this.run.skriptId}`);
  }

  #isInput(key: string): boolean {
    return key === INPUT && this.id === DEFAULT && this.run.input !== null;
  }

  #keyOf(key: string): string {
    const most = MAX_KEY_CHARS - this.#prefix.length;
    if (typeof key === 'string' && key !== '' && key.length <= most) return this.#prefix + key;
    throw new Error(
      `KeyValueStore: a key of the store ${JSON.stringify(this.id)} has 1 to ${most} characters; you sent ${String(JSON.stringify(key)).slice(0, 80)}.`,
    );
  }
}

/** Returns the bytes of a body, which BSON may have turned into a binary value. */
function bytesOf(body: unknown): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof ArrayBuffer) return Buffer.from(body);
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return Buffer.from((body as { buffer: Uint8Array }).buffer);
}

function parsed(body: Buffer, contentType: string): unknown {
  if (/^application\/(?:[\w.-]+\+)?json\b/.test(contentType)) {
    try {
      return JSON.parse(body.toString());
    } catch {
      return body.toString();
    }
  }
  return IS_TEXT.test(contentType) ? body.toString() : body;
}
