import createClient from 'openapi-fetch';
import type { Api } from './api.js';
import type { Echo, LogOptions, Row, RowOptions, RunOptions, SecretValue, StoredValues } from './entities.js';
import { TrawlError, unwrap } from './errors.js';
import { retryingFetch } from './retry.js';
import { CALL_WAIT_MS, Run } from './run.js';
import type { components, paths } from './schema.js';

const START = '/joint-api/execute-skript/single-worker/start';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PAGE = 1_000;
const RETRY_FOR_MS = 60_000;

export interface TrawlOptions {
  /** Address of the platform, such as `https://trawl.example.com`. */
  url: string;
  /** API key, or the token of a session. */
  key: string;
  /** How long to retry while the platform is unreachable, in ms. Default: 60,000. */
  retryForMs?: number;
  /** Called instead of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** A connection to a Trawl platform. */
export class Trawl {
  readonly api: Api;

  /** @throws {TypeError} if `url` is not an http or https address, or `key` cannot be one */
  constructor({ url, key, retryForMs = RETRY_FOR_MS, fetch = request => globalThis.fetch(request) }: TrawlOptions) {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
      throw new TypeError(`url must be an address such as https://trawl.example.com; you gave ${JSON.stringify(url)}.`);
    }
    // Otherwise fetch would refuse the header with an error that contains the key.
    if (!/^[\x21-\x7e]+$/.test(key)) {
      throw new TypeError('key must be an API key or a session token, without spaces and line ends.');
    }
    this.api = createClient<paths>({
      baseUrl: url.replace(/\/+$/, ''),
      headers: { Authorization: `Bearer ${key}` },
      fetch: retryingFetch(fetch, retryForMs),
    });
  }

  /**
   * Starts a skript with an input, without waiting for its end.
   *
   * @param skript id or exact title
   * @param input any JSON
   */
  run<Output = unknown>(skript: string, input?: unknown, options: RunOptions & SecretValue = {}): Run<Output> {
    return new Run<Output>(this.api, this.#start(skript, input, options, 0));
  }

  /**
   * Starts a skript with values that are stored with it, without waiting for its end.
   *
   * @param skript id or exact title
   */
  runStored<Output = unknown>(skript: string, stored: StoredValues = {}, options: RunOptions = {}): Run<Output> {
    return new Run<Output>(this.api, this.#startStored(skript, stored, options));
  }

  /**
   * Starts a skript and resolves to what its `main.js` returned.
   *
   * @throws {RunError} if the run failed or was stopped, with the skript's `code` and `stack`
   * @throws {TrawlError} if Trawl refused the run
   */
  call<Output = unknown>(skript: string, input?: unknown, options: RunOptions & SecretValue = {}): Promise<Output> {
    return new Run<Output>(this.api, this.#start(skript, input, options, CALL_WAIT_MS)).output();
  }

  /** Returns a run that was started earlier, by the id of its execution. */
  runById<Output = unknown>(id: string): Run<Output> {
    const params = { path: { skriptExecution_id: id } };
    return new Run<Output>(
      this.api,
      unwrap(this.api.GET('/joint-api/skript-execution/{skriptExecution_id}', { params })),
    );
  }

  /** Yields the echoes of a run that was started earlier, by the id of its execution. */
  logs(id: string, options?: LogOptions): AsyncGenerator<Echo, void> {
    return this.runById(id).logs(options);
  }

  /** Yields the documents of a collection, page by page. */
  async *rows<Document = Row>(
    collection: string,
    { database, filter, format, sort, select }: RowOptions = {},
  ): AsyncGenerator<Document, void> {
    const db_id = await this.databaseId(database);
    const query = { limit: PAGE, format, sort, select, ...(filter ? { filter: JSON.stringify(filter) } : {}) };
    let after: string | undefined;
    do {
      const params = { path: { db_id, collection }, query: { ...query, after } };
      const page = await unwrap(this.api.GET('/joint-api/mongo/{db_id}/{collection}/list', { params }));
      yield* page.items as Document[];
      after = page.next;
    } while (after !== undefined);
  }

  /**
   * Resolves to the id of a skript.
   *
   * @param skript id or exact title
   * @throws {TrawlError} 404 if you have no skript with this title
   */
  async skriptId(skript: string): Promise<string> {
    if (UUID.test(skript)) return skript;
    for (let skip = 0; ; skip += PAGE) {
      const query = { title_contains: skript, select: 'title', limit: PAGE, skip };
      const { items } = await unwrap(this.api.GET('/joint-api/skripts/list', { params: { query } }));
      const found = items.find(({ title }) => title === skript);
      if (found) return found.id;
      if (items.length < PAGE)
        throw new TrawlError(`You have no skript titled ${JSON.stringify(skript)}.`, 404, 'not_found');
    }
  }

  /**
   * Resolves to the id of a database.
   *
   * @param database id or name; by default your oldest database
   * @throws {TrawlError} 404 if you have no such database
   */
  async databaseId(database?: string): Promise<string> {
    if (database !== undefined && UUID.test(database)) return database;
    const query = { sort: 'created_at', limit: PAGE };
    const { items } = await unwrap(this.api.GET('/joint-api/mongo-databases/list', { params: { query } }));
    const found = database === undefined ? items[0] : items.find(({ name }) => name === database);
    if (found) return found.id;
    const missing = database === undefined ? 'no database' : `no database named ${JSON.stringify(database)}`;
    throw new TrawlError(`You have ${missing}.`, 404, 'not_found');
  }

  async #start(skript: string, input: unknown, options: RunOptions & SecretValue, wait_ms: number) {
    const { worker = 'any', inputSecret, force, retries, record } = options;
    const values = { input, inputSecret } as Pick<components['schemas']['Start'], 'input' | 'inputSecret'>;
    checkJson(values);
    const body = { skript_id: await this.skriptId(skript), worker_id: worker, ...values };
    return unwrap(
      this.api.POST(START, { params: { query: { wait_ms, force, retries, record }, header: newKey() }, body }),
    );
  }

  async #startStored(skript: string, { input, inputSecret }: StoredValues, options: RunOptions) {
    const { worker: worker_id = 'any', force, retries, record } = options;
    const skript_id = await this.skriptId(skript);
    const [input_id, inputSecret_id] = await Promise.all([
      input && this.#storedId('/joint-api/inputs/list', skript_id, input),
      inputSecret && this.#storedId('/joint-api/input-secrets/list', skript_id, inputSecret),
    ]);
    const query = { worker_id, skript_id, input_id, inputSecret_id, force, retries, record, wait_ms: 0 };
    return unwrap(this.api.GET(START, { params: { query, header: newKey() } }));
  }

  async #storedId(list: '/joint-api/inputs/list' | '/joint-api/input-secrets/list', skript_id: string, name: string) {
    const { items } = await unwrap(this.api.GET(list, { params: { query: { skript_id, limit: PAGE } } }));
    const found = items.find(item => item.name === name);
    if (!found) throw new TrawlError(`The skript has no ${JSON.stringify(name)}.`, 404, 'not_found');
    return found.id;
  }
}

/** @throws {TypeError} if a value cannot be sent, such as a bigint. Otherwise it would pass for a broken connection. */
function checkJson(values: object): void {
  try {
    JSON.stringify(values);
  } catch (error) {
    throw new TypeError(`input and inputSecret must be JSON: ${(error as Error).message}`);
  }
}

/** Returns headers that make it safe to repeat a start whose answer got lost. */
const newKey = () => ({ 'Idempotency-Key': crypto.randomUUID() });
