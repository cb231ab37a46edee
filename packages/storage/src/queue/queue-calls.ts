import { Binary } from 'bson';
import { Collection } from '../collection.js';
import { dataset } from '../dataset/dataset.js';
import { deleteRowsOf, type LeftRequest } from '../dataset/row-origin.js';
import { call } from '../storage-port.js';
import type { EncodedRequest } from './queued-requests.js';

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

interface WaitingSettlement extends Settlement {
  resolve(): void;
  reject(error: unknown): void;
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

/** The calls of one run on one queue. */
export class QueueCalls {
  readonly #settlements: WaitingSettlement[] = [];
  readonly #listeners = new Set<() => void>();
  #takes = 0;
  #taking: Promise<unknown> = Promise.resolve();
  #settling: Promise<void> | undefined;

  constructor(readonly name: string) {}

  /** Returns a byte for each request: 0 if it is new, 1 if the queue knows it, 2 if it is done. */
  async add(requests: EncodedRequest[], { priority = 0, forefront = false }): Promise<Uint8Array> {
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
    return states.buffer;
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

  /** Settles a request. Settlements that arrive while a call is in progress share the next one. */
  settle(settlement: Settlement): Promise<void> {
    const settled = new Promise<void>((resolve, reject) => {
      this.#settlements.push({ ...settlement, resolve, reject });
    });
    this.#settling ??= this.#settleAll().finally(() => {
      this.#settling = undefined;
    });
    return settled;
  }

  /** Resolves when all settlements so far are stored or have failed. */
  flush(): Promise<void> | undefined {
    return this.#settling;
  }

  /** Calls `listener` once, when this run next adds or settles a request. Returns a function that withdraws it. */
  onceChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #settleAll(): Promise<void> {
    // Let settlements of the same moment share the first call.
    await null;
    while (this.#settlements.length > 0) {
      const batch = this.#settlements.splice(0, MAX_SETTLED_AT_ONCE);
      try {
        await this.#call('queueSettle', argsOf(batch), 'settle');
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      this.#notify();
    }
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

const argsOf = (batch: Settlement[]): object => ({
  fingerprints: new Binary(
    Buffer.concat(batch.map(({ request }) => Buffer.from(request.id.replaceAll('-', ''), 'hex'))),
  ),
  takes: batch.map(({ request }) => request.take),
  outcomes: batch.map(({ outcome }) => outcome).join(''),
  delays: batch.map(({ delayMs }) => delayMs),
  errors: batch.map(({ error }) => error),
});
