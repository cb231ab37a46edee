import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { beforeEnd } from '../before-end.js';
import { checkOptions } from '../check-options.js';
import { StorageError } from '../protocol/storage-error.js';
import { thisRun } from '../this-run.js';
import { type Outcome, QueueCalls, type QueueCounts, type Taken, type TakenRequest } from './queue-calls.js';
import {
  encodeRequests,
  idOf,
  MAX_DELAY_MS,
  MAX_ERROR_CHARS,
  MAX_PRIORITY,
  MAX_REQUESTS_AT_ONCE,
  type RequestToAdd,
} from './queued-requests.js';

/** A loop waits for delayed requests that are due within this time. */
const MAX_WAIT_MS = 60_000;
/** While other runs work on the last requests, a loop looks as often as this, less and less often. */
const FIRST_LOOK_MS = 200;
const LAST_LOOK_MS = 2_000;
/** A delayed request that is due now may be locked for a moment by another run. */
const SOON_MS = 20;
const DEFAULT_DELAY_MS = 1_000;
const DEFAULT_RETRIES = 3;

/** A request that a run works on. */
export interface QueueRequest {
  readonly id: string;
  readonly url: string;
  /** As it was added; null if it was added without. */
  readonly userData: unknown;
  /** How often it was tried before. */
  readonly retries: number;
}

export interface AddOptions {
  /** From -100 to 100. Of each host, the requests with the highest priority are taken first. The default is 0. */
  priority?: number;
  /** Takes them before the others of their priority. */
  forefront?: boolean;
}

export interface RetryOptions {
  /** Time in ms until it may be taken again. The default is 1,000. */
  delayMs?: number;
  /** How often it is tried again before it counts as failed. The default is 3. */
  max?: number;
  /** Why it is tried again. The queue keeps the text. */
  error?: unknown;
}

/** A request as the queue knows it after `addEach`. */
export interface AddedRequest {
  id: string;
  /** `known`: the queue had it already. `done`: it had been settled as done. */
  state: 'added' | 'known' | 'done';
}

export interface TakenNow {
  requests: QueueRequest[];
  /** Whether runs still work on requests, or delayed ones are left, so that later calls may find more. */
  isOpen: boolean;
}

export interface Queue {
  readonly name: string;
  /**
   * Adds pages that the queue does not know yet. `added` is the number of new ones, `known` that of the others.
   *
   * @throws TypeError for a value that is not a request, before any is added; StorageError
   */
  add(
    requests: string | RequestToAdd | Iterable<string | RequestToAdd>,
    options?: AddOptions,
  ): Promise<{ added: number; known: number }>;
  /** Does what `add` does, and resolves with what the queue knows about each request, in their order. */
  addEach(
    requests: string | RequestToAdd | Iterable<string | RequestToAdd>,
    options?: AddOptions,
  ): Promise<AddedRequest[]>;
  /**
   * Takes requests, one after another, and has at most `concurrency` of them that are not settled. The loop ends when the
   * queue is empty and no run works on a request. It waits for requests that others work on, and for delayed ones that are
   * due within 60 seconds. When you leave the loop, what you have not settled goes back to the queue.
   */
  take(options?: { concurrency?: number }): AsyncGenerator<QueueRequest, void, void>;
  /** Takes up to `count` requests without waiting, for programs with a loop of their own. */
  takeNow(count?: number): Promise<TakenNow>;
  /** Settles a request: the queue never gives it out again. */
  done(request: QueueRequest): Promise<void>;
  /** Gives a request back for another try. Resolves with false if it has had all its tries, and counts as failed now. */
  retry(request: QueueRequest, options?: RetryOptions): Promise<boolean>;
  /** Settles a request as failed. */
  failed(request: QueueRequest, error?: unknown): Promise<void>;
  /** Gives a request back to the queue, as if it had not been taken. */
  release(request: QueueRequest): Promise<void>;
  /** Resolves with how many requests wait, are taken, done and failed. */
  counts(): Promise<QueueCounts>;
  /** Deletes the queue with all its requests. It may be filled again. */
  drop(): Promise<void>;
}

/** The requests of a loop that are not settled. `onSettled` is called when the next one of them is. */
class Held extends Map<QueueRequest, TakenRequest> {
  onSettled = () => {};
}

class RunQueue implements Queue {
  readonly #calls: QueueCalls;
  /** For each request that this run works on, those of its loop. */
  readonly #loops = new WeakMap<QueueRequest, Held>();

  constructor(
    readonly name: string,
    readonly runId: string,
  ) {
    this.#calls = new QueueCalls(name);
  }

  async add(
    requests: string | RequestToAdd | Iterable<string | RequestToAdd>,
    options: AddOptions = {},
  ): Promise<{ added: number; known: number }> {
    const states = await this.#add(requests, options);
    const added = states.filter(state => state === 0).length;
    return { added, known: states.length - added };
  }

  async addEach(
    requests: string | RequestToAdd | Iterable<string | RequestToAdd>,
    options: AddOptions = {},
  ): Promise<AddedRequest[]> {
    const ids: string[] = [];
    const states = await this.#add(requests, options, ids);
    return states.map((state, index) => ({ id: ids[index] as string, state: STATES[state] ?? 'known' }));
  }

  /** Adds requests, and returns a number for each: 0 if it is new, 2 if it is done, else 1. Collects their ids in `ids`. */
  async #add(
    requests: string | RequestToAdd | Iterable<string | RequestToAdd>,
    options: AddOptions,
    ids?: string[],
  ): Promise<number[]> {
    const { priority = 0, forefront = false } = options ?? {};
    if (!isWhole(priority, -MAX_PRIORITY, MAX_PRIORITY)) {
      throw this.#mistake(
        'add',
        `\`priority\` must be a whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}`,
        priority,
      );
    }
    const all = typeof requests !== 'string' && isIterable(requests) ? requests : [requests as RequestToAdd];
    const states: number[] = [];
    for (const batch of encodeRequests(all, this.name)) {
      for (const state of await this.#calls.add(batch, { priority, forefront: forefront === true })) states.push(state);
      for (const { fingerprint } of batch) ids?.push(idOf(fingerprint));
    }
    return states;
  }

  async takeNow(count = 1): Promise<TakenNow> {
    if (!isWhole(count, 1, MAX_REQUESTS_AT_ONCE)) {
      throw this.#mistake('takeNow', `\`count\` must be a whole number from 1 to ${MAX_REQUESTS_AT_ONCE}`, count);
    }
    const { requests, leased, dueMs } = await this.#calls.take(count);
    const held = new Held();
    return { requests: requests.map(request => this.#hold(request, held)), isOpen: leased > 0 || dueMs !== null };
  }

  async *take(options: { concurrency?: number } = {}): AsyncGenerator<QueueRequest, void, void> {
    checkOptions(options, `queue('${this.name}').take`, '{ concurrency: 10 }');
    const { concurrency = 1 } = options;
    if (!isWhole(concurrency, 1, MAX_REQUESTS_AT_ONCE)) {
      throw this.#mistake(
        'take',
        `\`concurrency\` must be a whole number from 1 to ${MAX_REQUESTS_AT_ONCE}`,
        concurrency,
      );
    }
    const held = new Held();
    let lookMs = FIRST_LOOK_MS;
    try {
      for (;;) {
        if (held.size >= concurrency) {
          await this.#roomIn(held, concurrency);
          continue;
        }
        const changed = this.#nextChange();
        const taken = await this.#calls.take(concurrency - held.size);
        const requests = taken.requests.map(request => this.#hold(request, held));
        if (requests.length > 0) {
          lookMs = FIRST_LOOK_MS;
          changed.withdraw();
          yield* requests;
        } else if (isOver(taken)) {
          changed.withdraw();
          return;
        } else {
          await changed.within(Math.min(lookMs, Math.max(taken.dueMs ?? lookMs, SOON_MS)));
          lookMs = Math.min(lookMs * 2, LAST_LOOK_MS);
        }
      }
    } finally {
      await Promise.all([...held.keys()].map(request => this.#settle(request, 'w')));
    }
  }

  async done(request: QueueRequest): Promise<void> {
    this.#check(request, 'done');
    await this.#settle(request, 'x');
  }

  async retry(request: QueueRequest, options: RetryOptions = {}): Promise<boolean> {
    this.#check(request, 'retry');
    const { delayMs = DEFAULT_DELAY_MS, max = DEFAULT_RETRIES, error } = options ?? {};
    if (!isWhole(delayMs, 0, MAX_DELAY_MS)) {
      throw this.#mistake('retry', `\`delayMs\` must be a whole number from 0 to ${MAX_DELAY_MS}`, delayMs);
    }
    if (!isWhole(max, 0, 1_000)) throw this.#mistake('retry', '`max` must be a whole number from 0 to 1000', max);
    const hasTries = request.retries < max;
    await this.#settle(request, hasTries ? 'd' : 'f', { delayMs, error });
    return hasTries;
  }

  async failed(request: QueueRequest, error?: unknown): Promise<void> {
    this.#check(request, 'failed');
    await this.#settle(request, 'f', { error });
  }

  async release(request: QueueRequest): Promise<void> {
    this.#check(request, 'release');
    await this.#settle(request, 'w');
  }

  counts(): Promise<QueueCounts> {
    return this.#calls.counts();
  }

  drop(): Promise<void> {
    return this.#calls.drop();
  }

  flush(): Promise<unknown> | undefined {
    return this.#calls.flush();
  }

  #hold(taken: TakenRequest, held: Held): QueueRequest {
    const { id, url, data, retries } = taken;
    const request = { id, url, userData: data === null ? null : JSON.parse(data), retries };
    held.set(request, taken);
    this.#loops.set(request, held);
    return request;
  }

  #settle(
    request: QueueRequest,
    outcome: Outcome,
    { delayMs = 0, error }: { delayMs?: number; error?: unknown } = {},
  ): Promise<void> {
    const held = this.#loops.get(request) as Held;
    const taken = held.get(request) as TakenRequest;
    held.delete(request);
    held.onSettled();
    this.#loops.delete(request);
    return this.#calls.settle({ request: taken, outcome, delayMs, error: error === undefined ? null : textOf(error) });
  }

  #check(request: QueueRequest, method: string): void {
    if (request && typeof request === 'object' && this.#loops.has(request)) return;
    throw this.#mistake(method, 'expected a request that this run has taken and not settled', request?.url ?? request);
  }

  /** Waits until a request of the loop is settled. @throws {TypeError} if nothing can be working on it */
  async #roomIn(held: Held, concurrency: number): Promise<void> {
    if (concurrency === 1) {
      const [request] = held.keys();
      throw this.#mistake(
        'take',
        'the loop asks for the next request before this one is settled. Call `await` done, retry or failed, or set `concurrency` to work on several at once',
        request?.url,
      );
    }
    // The next take need not wait until the platform knows the settlement.
    while (held.size >= concurrency) {
      await new Promise<void>(resolve => {
        held.onSettled = resolve;
      });
    }
  }

  /** Notices the next request that this run adds or settles. */
  #nextChange(): { within(ms?: number): Promise<void>; withdraw(): void } {
    let withdraw = () => {};
    const happened = new Promise<void>(resolve => {
      withdraw = this.#calls.onceChanged(resolve);
    });
    const within = async (ms?: number) => {
      const timer = new AbortController();
      const late = ms === undefined ? [] : [delay(ms, undefined, { signal: timer.signal })];
      await Promise.race([happened, ...late]);
      timer.abort();
      withdraw();
    };
    return { within, withdraw };
  }

  #mistake(method: string, expected: string, sent: unknown): TypeError {
    return new TypeError(`queue('${this.name}').${method}: ${expected}; you sent ${inspect(sent, { depth: 0 })}.`);
  }
}

const STATES = ['added', 'known', 'done'] as const;

/** A loop is over if there is nothing to take, nobody works on a request, and no delayed one is due soon. */
const isOver = ({ leased, dueMs }: Taken): boolean => leased === 0 && (dueMs === null || dueMs > MAX_WAIT_MS);

const isWhole = (value: unknown, min: number, max: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;

const isIterable = (value: unknown): value is Iterable<string | RequestToAdd> =>
  value !== null && typeof value === 'object' && Symbol.iterator in value;

/** PostgreSQL stores no NUL, which pages can bring into the message of an error. */
const textOf = (error: unknown): string =>
  (error instanceof Error ? String(error.message) : typeof error === 'string' ? error : inspect(error))
    .slice(0, MAX_ERROR_CHARS)
    .replaceAll('\0', '\uFFFD');

const QUEUE_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
let queues = new Map<string, RunQueue>();
let queuesOf = '';

/** Returns a queue of your account, which all its runs share. The first request that is added makes it. */
export function queue(name: string): Queue {
  if (typeof name !== 'string' || !QUEUE_NAME.test(name)) {
    throw new StorageError(
      'storage_rejected',
      `queue: expected a name of up to 64 lower-case letters, digits, dots, dashes and underscores, such as 'shop-pages'; you sent ${inspect(name).slice(0, 80)}.`,
    );
  }
  beforeEnd(flush);
  const { runId } = thisRun();
  // A warm process serves one run after another.
  if (queuesOf !== runId) queues = new Map();
  queuesOf = runId;
  const open = queues.get(name) ?? new RunQueue(name, runId);
  queues.set(name, open);
  return open;
}

function flush(): Promise<void> | undefined {
  const waiting = [...queues.values()].map(open => open.flush()).filter(promise => promise !== undefined);
  return waiting.length > 0 ? Promise.all(waiting).then(() => {}) : undefined;
}
