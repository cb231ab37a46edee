import { DatasetClient } from './datasets.js';
import { KeyValueStoreClient } from './key-value-stores.js';
import { RequestQueueClient } from './request-queues.js';
import { type CrawleeRun, DEFAULT, unsupported } from './run.js';

const OUTPUT = 'OUTPUT';

/** A collection of storages, as Crawlee asks for it. */
interface StorageCollection {
  getOrCreate(name?: string): Promise<object>;
  list(): Promise<never>;
}

/** The storage client of one run: it has the methods of `StorageClient` of `@crawlee/types`. */
export class TrawlStorageClient {
  readonly #datasets = new Map<string, DatasetClient>();
  readonly #stores = new Map<string, KeyValueStoreClient>();
  readonly #queues = new Map<string, RequestQueueClient>();

  status: string | undefined;

  constructor(private readonly run: CrawleeRun) {}

  datasets(): StorageCollection {
    return collectionOf('datasets', name => this.dataset(name));
  }

  dataset(id: string): DatasetClient {
    return open(this.#datasets, id, () => new DatasetClient(id, this.run, this.keyValueStore(DEFAULT)));
  }

  keyValueStores(): StorageCollection {
    return collectionOf('key-value stores', name => this.keyValueStore(name));
  }

  keyValueStore(id: string): KeyValueStoreClient {
    return open(this.#stores, id, () => new KeyValueStoreClient(id, this.run));
  }

  requestQueues(): StorageCollection {
    return collectionOf('request queues', name => this.requestQueue(name));
  }

  requestQueue(id: string): RequestQueueClient {
    return open(this.#queues, id, () => new RequestQueueClient(id, this.run));
  }

  /**
   * Crawlee calls this at its start. On the platform each run has default storages of its own, and a retry continues those
   * of the run. On the user's computer, all runs have the same.
   */
  async purge(): Promise<void> {
    if (!this.run.isLocal) return;
    await this.requestQueue(DEFAULT).delete();
    await this.keyValueStore(DEFAULT).delete();
    this.dataset(DEFAULT).purge();
  }

  /** Keeps the last message, which an Actor that fails gives as the reason. Crawlee also writes it to its log. */
  async setStatusMessage(message: string): Promise<void> {
    this.status = message;
  }

  /** Deletes the default queue of a run that has ended well. Returns the value of `OUTPUT`, which is the output of an Actor. */
  async finish(): Promise<unknown> {
    await this.#queues.get(DEFAULT)?.delete();
    const output = (await this.#stores.get(DEFAULT)?.getRecord(OUTPUT))?.value;
    // A picture, for example, stays a value of the store.
    if (output === undefined || Buffer.isBuffer(output)) return undefined;
    const bytes = Buffer.byteLength(JSON.stringify(output));
    if (bytes <= this.run.outputBytes) return output;
    const limit = this.run.outputBytes;
    console.warn(`The value ${OUTPUT} stays in kv: it is ${bytes} bytes as JSON; the limit of an output is ${limit}.`);
    return undefined;
  }
}

function open<Client>(clients: Map<string, Client>, id: string, make: () => Client): Client {
  const client = clients.get(id) ?? make();
  clients.set(id, client);
  return client;
}

const collectionOf = (kind: string, client: (name: string) => { get(): Promise<object> }): StorageCollection => ({
  getOrCreate: (name = DEFAULT) => client(name).get(),
  list: async () => {
    throw unsupported(`Listing ${kind}`, 'Open them by name. The panel lists your collections.');
  },
});
