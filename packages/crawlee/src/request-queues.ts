import { type Queue, type QueueRequest, queue } from '@trawl/storage';
import { type CrawleeRun, DEFAULT, infoOf, unsupported } from './run.js';

/** A request as Crawlee stores it. */
export interface CrawleeRequest {
  id?: string;
  url: string;
  uniqueKey: string;
  retryCount?: number;
  handledAt?: string;
  errorMessages?: string[];
  [field: string]: unknown;
}

/** A request that this run has taken. */
interface Held {
  taken: QueueRequest;
  request: CrawleeRequest & { id: string };
  /** Until then, only who has locked it may have it, in ms since 1970. 0 puts it in front. */
  lockedUntil: number;
  /** Whether Crawlee has counted another try. */
  isRetry: boolean;
}

export interface Processed {
  uniqueKey: string;
  requestId: string;
  wasAlreadyPresent: boolean;
  wasAlreadyHandled: boolean;
}

interface Head {
  limit: number;
  queueModifiedAt: Date;
  hadMultipleClients: boolean;
  items: CrawleeRequest[];
}

/** How often the queue gives a request back. Crawlee itself decides when a request has had all its tries. */
const MAX_RETRIES = 1_000;
const HEAD_REQUESTS = 100;
/** The state in which Crawlee leaves a request that has had all its tries. */
const FAILED = 6;

/**
 * A request queue as a queue of Trawl. What a crawler locks, the run has taken: other runs get it when the run ends.
 * Inside the run, a lock expires as in Crawlee.
 *
 * A request keeps in the queue what it had when it was added, and how often it was tried. Other changes of a request
 * between its tries stay with the run.
 */
export class RequestQueueClient {
  readonly #queue: Queue;
  readonly #held = new Map<string, Held>();
  /** The requests that were given back, as Crawlee has changed them. */
  readonly #changed = new Map<string, CrawleeRequest & { id: string }>();

  constructor(
    readonly id: string,
    run: CrawleeRun,
  ) {
    this.#queue = queue(id === DEFAULT ? `crawlee-${run.firstId}` : `crawlee-${id.toLowerCase()}`);
  }

  async get(): Promise<object> {
    const { waiting, taken, done, failed } = await this.#queue.counts();
    return {
      ...infoOf(this.id),
      totalRequestCount: waiting + taken + done + failed,
      handledRequestCount: done + failed,
      pendingRequestCount: waiting + taken,
      hadMultipleClients: false,
    };
  }

  async update(): Promise<never> {
    throw unsupported('Renaming a request queue', 'Add the requests to a queue with the new name.');
  }

  async delete(): Promise<void> {
    this.#held.clear();
    this.#changed.clear();
    await this.#queue.drop();
  }

  async addRequest(request: CrawleeRequest, options: { forefront?: boolean } = {}): Promise<Processed> {
    const { processedRequests } = await this.batchAddRequests([request], options);
    return processedRequests[0] as Processed;
  }

  async batchAddRequests(
    requests: CrawleeRequest[],
    { forefront = false }: { forefront?: boolean } = {},
  ): Promise<{ processedRequests: Processed[]; unprocessedRequests: never[] }> {
    const added = requests.map(({ id: _, ...request }) => ({
      url: request.url,
      uniqueKey: request.uniqueKey,
      userData: request,
    }));
    const states = await this.#queue.addEach(added, { forefront });
    const processedRequests = states.map(({ id, state }, index) => ({
      uniqueKey: (requests[index] as CrawleeRequest).uniqueKey,
      requestId: id,
      wasAlreadyPresent: state !== 'added',
      wasAlreadyHandled: state === 'done',
    }));
    return { processedRequests, unprocessedRequests: [] };
  }

  /** Lists requests that the run has, for the older request queue without locks. */
  async listHead({ limit = HEAD_REQUESTS }: { limit?: number } = {}): Promise<Head> {
    if (this.#held.size < limit) await this.#take(limit - this.#held.size, 0);
    return headOf([...this.#held.values()].slice(0, limit), limit);
  }

  async listAndLockHead({
    limit = HEAD_REQUESTS,
    lockSecs,
  }: {
    limit?: number;
    lockSecs: number;
  }): Promise<Head & { lockSecs: number; queueHasLockedRequests: boolean }> {
    const now = Date.now();
    const free = [...this.#held.values()]
      .filter(({ lockedUntil }) => lockedUntil <= now)
      .sort((one, other) => one.lockedUntil - other.lockedUntil)
      .slice(0, limit);
    for (const held of free) held.lockedUntil = now + lockSecs * 1_000;
    const { taken, isOpen } =
      free.length < limit ? await this.#take(limit - free.length, now + lockSecs * 1_000) : { taken: [], isOpen: true };
    return { ...headOf([...free, ...taken], limit), lockSecs, queueHasLockedRequests: isOpen };
  }

  async prolongRequestLock(id: string, { lockSecs }: { lockSecs: number }): Promise<{ lockExpiresAt: Date }> {
    const held = this.#held.get(id);
    if (!held) throw new Error(`The run does not have the request ${id} of the queue ${this.id}.`);
    held.lockedUntil = Date.now() + lockSecs * 1_000;
    return { lockExpiresAt: new Date(held.lockedUntil) };
  }

  async deleteRequestLock(id: string, { forefront = false }: { forefront?: boolean } = {}): Promise<void> {
    const held = this.#held.get(id);
    if (!held) throw new Error(`The run does not have the request ${id} of the queue ${this.id}.`);
    if (forefront) {
      // The queue would put it behind those that wait already.
      held.lockedUntil = 0;
      return;
    }
    this.#held.delete(id);
    this.#changed.set(id, held.request);
    if (!held.isRetry) await this.#queue.release(held.taken);
    else
      await this.#queue.retry(held.taken, { delayMs: 0, max: MAX_RETRIES, error: held.request.errorMessages?.at(-1) });
  }

  /** Returns a request that the run works on, as the queue gave it out. */
  taken(id: string | undefined): QueueRequest | undefined {
    return id === undefined ? undefined : this.#held.get(id)?.taken;
  }

  async getRequest(id: string): Promise<CrawleeRequest | undefined> {
    const held = this.#held.get(id);
    if (held) return held.request;
    throw unsupported(
      'RequestQueue.getRequest of a request that the run has not taken',
      'Use the request that the handler gets.',
    );
  }

  /** Settles a request that Crawlee has handled, or keeps the changes of one that it gives back next. */
  async updateRequest(request: CrawleeRequest & { id: string }): Promise<Processed> {
    const { id, uniqueKey } = request;
    const held = this.#held.get(id);
    if (held && request.handledAt) {
      this.#held.delete(id);
      this.#changed.delete(id);
      if (stateOf(request) === FAILED) await this.#queue.failed(held.taken, request.errorMessages?.at(-1));
      else await this.#queue.done(held.taken);
    } else if (held) {
      held.isRetry ||= (request.retryCount ?? 0) > (held.request.retryCount ?? 0);
      held.request = copyOf(request);
    }
    return { uniqueKey, requestId: id, wasAlreadyPresent: true, wasAlreadyHandled: !held };
  }

  async deleteRequest(): Promise<never> {
    throw unsupported('Deleting a request', 'Let its handler return at once, or use another queue.');
  }

  async #take(count: number, lockedUntil: number): Promise<{ taken: Held[]; isOpen: boolean }> {
    const { requests, isOpen } = await this.#queue.takeNow(count);
    const taken = requests.map(request => {
      const { id, userData, retries } = request;
      const stored = this.#changed.get(id) ?? { ...(userData as CrawleeRequest), id };
      const retryCount = Math.max(stored.retryCount ?? 0, retries);
      const held: Held = { taken: request, request: { ...stored, retryCount }, lockedUntil, isRetry: false };
      this.#changed.delete(id);
      this.#held.set(id, held);
      return held;
    });
    return { taken, isOpen };
  }
}

const stateOf = ({ userData }: CrawleeRequest): unknown =>
  (userData as { __crawlee?: { state?: unknown } } | undefined)?.__crawlee?.state;

/** Crawlee continues to change its own object. */
const copyOf = (request: CrawleeRequest & { id: string }): CrawleeRequest & { id: string } =>
  JSON.parse(JSON.stringify({ ...request }));

const headOf = (held: Held[], limit: number): Head => ({
  limit,
  // Long ago: what the queue lists is up to date.
  queueModifiedAt: new Date(0),
  hadMultipleClients: false,
  items: held.map(({ request }) => request),
});
