import { Binary } from 'bson';
import { Collection } from '../collection.js';
import { dataset } from '../dataset/dataset.js';
import { deleteRowsOf, type LeftRequest } from '../dataset/row-origin.js';
import { call } from '../storage-port.js';
import { bytesOf, type EncodedRequest, MAX_BATCH_BYTES, MAX_REQUESTS_AT_ONCE } from './queued-requests.js';
import { SharedCalls } from './shared-calls.js';

/** A request as a take returns it. `take` is the number of that take. */
export interface TakenRequest {
  id: string;
  take: number;
  url: string;
  data: string | null;
  retries: number;
  /** Only for a request that dead runs had taken: their ids, and when the first of them took it, in ms since 1970. */
  left_by?: string[];
  taken_at?: number;
}

export interface Taken {
  requests: TakenRequest[];
  /** Number of requests that runs work on, this one included. */
  leased: number;
  /** Time in ms until the first delayed request is due; null if there is none. */
  dueMs: number | null;
}

/** Outcome of a request: done, failed, delayed for another try, or given back. */
export type Outcome = 'x' | 'f' | 'd' | 'w';

interface Settlement {
  request: Pick<TakenRequest, 'id' | 'take'>;
  outcome: Outcome;
  delayMs: number;
  error: string | null;
}

interface Addition {
  requests: EncodedRequest[];
  priority: number;
  forefront: boolean;
}

/** How many requests of a queue are in which state. */
export interface QueueCounts {
  /** Those that no run works on, the delayed ones included. */
  waiting: number;
  /** Those that runs work on. */
  taken: number;
  done: number;
  failed: number;
}

const MAX_SETTLED_AT_ONCE = 500;
/** Larger additions have calls of their own, which may run at the same time. */
const MAX_SHARED_ADDITION = 100;

/** The calls of one run on one queue. */
export class QueueCalls {
  readonly #additions = new SharedCalls<Addition, Uint8Array>(
    additions => this.#sendAdditions(additions),
    countFitting,
  );
  readonly #settlements = new SharedCalls<Settlement, undefined>(
    settlements => this.#sendSettlements(settlements),
    settlements => Math.min(settlements.length, MAX_SETTLED_AT_ONCE),
  );
  readonly #listeners = new Set<() => void>();
  #takes = 0;
  #taking: Promise<unknown> = Promise.resolve();

  constructor(readonly name: string) {}

  /** Returns a byte for each request: 0 if it is new, 1 if the queue knows it, 2 if it is done. */
  async add(requests: EncodedRequest[], { priority = 0, forefront = false }): Promise<Uint8Array> {
    const addition = { requests, priority, forefront };
    if (requests.length <= MAX_SHARED_ADDITION) return this.#additions.add(addition);
    const [states] = await this.#sendAdditions([addition]);
    return states as Uint8Array;
  }

  /**
   * Takes up to `count` requests. The takes of a run follow one another, because the platform knows a repeated one by its
   * number.
   */
  take(count: number): Promise<Taken> {
    const taken = this.#taking.then(async () => {
      const take = ++this.#takes;
      const { requests, leased, due_ms } = await this.#call<{
        requests: Omit<TakenRequest, 'take'>[];
        leased: number;
        due_ms: number | null;
      }>('queueTake', { take, count }, 'take');
      await deleteLeftRows(requests);
      return { requests: requests.map(request => ({ ...request, take })), leased, dueMs: due_ms };
    });
    this.#taking = taken.catch(() => {});
    return taken;
  }

  counts(): Promise<QueueCounts> {
    return this.#call<QueueCounts>('queueCounts', {}, 'counts');
  }

  async drop(): Promise<void> {
    await this.#call('queueDrop', {}, 'drop');
    this.#notify();
  }

  settle(settlement: Settlement): Promise<void> {
    return this.#settlements.add(settlement);
  }

  /** Resolves when all additions and settlements so far are stored or have failed. */
  flush(): Promise<unknown> | undefined {
    const sending = [this.#additions.flush(), this.#settlements.flush()].filter(promise => promise !== undefined);
    return sending.length > 0 ? Promise.all(sending) : undefined;
  }

  /** Calls `listener` once, when this run next adds or settles a request. Returns a function that withdraws it. */
  onceChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends additions with the same priority and place. Returns a byte for each request of each. */
  async #sendAdditions(additions: Addition[]): Promise<Uint8Array[]> {
    const [{ priority, forefront }] = additions as [Addition];
    const requests = additions.flatMap(addition => addition.requests);
    const args = {
      fingerprints: new Binary(Buffer.concat(requests.map(({ fingerprint }) => fingerprint))),
      urls: requests.map(({ url }) => url),
      hosts: requests.map(({ host }) => host),
      data: requests.map(({ data }) => data),
      priority,
      forefront,
    };
    const { states } = await this.#call<{ states: Binary }>('queueAdd', args, 'add');
    this.#notify();
    let from = 0;
    return additions.map(({ requests: { length } }) => {
      from += length;
      return states.buffer.subarray(from - length, from);
    });
  }

  async #sendSettlements(settlements: Settlement[]): Promise<undefined[]> {
    try {
      await this.#call('queueSettle', argsOf(settlements), 'settle');
    } finally {
      this.#notify();
    }
    return [];
  }

  #notify(): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  #call<Answer>(method: string, args: object, shown: string): Promise<Answer> {
    return call<Answer>({ db: undefined, collection: this.name }, method, args, shown);
  }
}

/** Deletes the rows of earlier runs which died before they settled the requests. */
async function deleteLeftRows(requests: Omit<TakenRequest, 'take'>[]): Promise<void> {
  const left = requests.flatMap(({ id, retries, left_by: leftBy, taken_at: takenAt = 0 }): LeftRequest[] =>
    leftBy ? [{ id, retries, leftBy, takenAt }] : [],
  );
  if (left.length > 0) await deleteRowsOf(left, new Collection(undefined, dataset.collectionName));
}

/** How many additions have the options of the first one, and fit into a call with it. */
function countFitting(additions: Addition[]): number {
  const [first] = additions as [Addition];
  let [requests, bytes] = [0, 0];
  const tooMany = additions.findIndex((addition, index) => {
    requests += addition.requests.length;
    for (const request of addition.requests) bytes += bytesOf(request);
    const isSame = addition.priority === first.priority && addition.forefront === first.forefront;
    return index > 0 && (!isSame || requests > MAX_REQUESTS_AT_ONCE || bytes > MAX_BATCH_BYTES);
  });
  return tooMany === -1 ? additions.length : tooMany;
}

const argsOf = (batch: Settlement[]): object => ({
  fingerprints: new Binary(
    Buffer.concat(batch.map(({ request }) => Buffer.from(request.id.replaceAll('-', ''), 'hex'))),
  ),
  takes: batch.map(({ request }) => request.take),
  outcomes: batch.map(({ outcome }) => outcome).join(''),
  delays: batch.map(({ delayMs }) => delayMs),
  errors: batch.map(({ error }) => error),
});
