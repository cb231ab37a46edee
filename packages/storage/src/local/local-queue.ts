import { Binary } from 'bson';
import type { Document } from '../protocol/document.js';
import type { CollectionLines } from './collection-file.js';
import { LocalCollection } from './local-collection.js';

/** Places of one priority. */
const PLACES = 2 ** 40;

type State = 'w' | 'd' | 'l' | 'x' | 'f';

const COUNTED = { w: 'waiting', d: 'waiting', l: 'taken', x: 'done', f: 'failed' } as const;

interface QueuedRequest extends Document {
  _id: string;
  url: string;
  host: string;
  data: string | null;
  state: State;
  rank: number;
  retries: number;
  /** Number of the take that has it. */
  take: number;
  /** When it may be tried again, in ms since 1970. */
  due: number;
  error: string | null;
}

/** A queue of local runs, of which one runs at a time. It is in memory as a whole, and in a file. */
export class LocalQueue {
  readonly #collection: LocalCollection;
  readonly #requests = new Map<string, QueuedRequest>();
  /** The waiting requests of each host, in the order of their ranks. The host that was taken from last is last. */
  readonly #hosts = new Map<string, QueuedRequest[]>();
  readonly #delayed = new Set<QueuedRequest>();
  readonly #leased = new Set<QueuedRequest>();
  #place = 0;
  /** Every take of a process that has just opened the file comes after runs that have ended. */
  #lastTake = Number.POSITIVE_INFINITY;

  /** @throws {StorageError} if the file cannot be read */
  constructor(file: CollectionLines) {
    this.#collection = new LocalCollection(file);
    for (const request of this.#collection.documents as QueuedRequest[]) {
      this.#requests.set(request._id, request);
      this.#place = Math.max(this.#place, Math.abs(request.rank % PLACES));
      this.#list(request);
    }
  }

  get isEmpty(): boolean {
    return this.#requests.size === 0;
  }

  close(): void {
    this.#collection.close();
  }

  /** Answers a call. If it throws, the queue must be opened again. */
  answer(method: string, args: Document): object {
    if (method === 'queueAdd') return this.#add(args);
    if (method === 'queueCounts') return this.#counts();
    return method === 'queueTake' ? this.#take(args as { take: number; count: number }) : this.#settle(args);
  }

  #counts(): object {
    const counts = { waiting: 0, taken: 0, done: 0, failed: 0 };
    for (const { state } of this.#requests.values()) counts[COUNTED[state]]++;
    return counts;
  }

  #add(args: Document): object {
    const { fingerprints, urls, hosts, data, priority, forefront } = args as {
      fingerprints: Binary;
      urls: string[];
      hosts: string[];
      data: (string | null)[];
      priority: number;
      forefront: boolean;
    };
    const states = urls.map((url, index) => {
      const _id = idAt(fingerprints, index);
      const known = this.#requests.get(_id);
      if (known) return known.state === 'x' ? 2 : 1;
      const place = forefront ? index - urls.length - this.#place : this.#place + index + 1;
      const request: QueuedRequest = {
        _id,
        url,
        host: hosts[index] as string,
        data: data[index] as string | null,
        state: 'w',
        rank: place - priority * PLACES,
        retries: 0,
        take: 0,
        due: 0,
        error: null,
      };
      this.#requests.set(_id, request);
      this.#collection.put(request);
      this.#list(request);
      return 0;
    });
    this.#place += urls.length;
    this.#collection.save();
    return { states: new Binary(Buffer.from(states)) };
  }

  #take({ take, count }: { take: number; count: number }): object {
    // The first take of a run: the runs before it have ended.
    if (take <= this.#lastTake) for (const request of [...this.#leased]) this.#move(request, { state: 'w' });
    this.#lastTake = take;
    const now = Date.now();
    const due = [...this.#delayed].filter(request => request.due <= now).slice(0, count);
    const taken = [...due, ...this.#nextOf(count - due.length)];
    for (const request of taken) this.#move(request, { state: 'l', take });
    this.#collection.save();
    const requests = taken.map(({ _id: id, url, data, retries }) => ({ id, url, data, retries }));
    const first = Math.min(...[...this.#delayed].map(request => request.due));
    return { requests, leased: this.#leased.size, due_ms: this.#delayed.size > 0 ? Math.max(0, first - now) : null };
  }

  /** Finds the next requests, one of each host in turn. */
  #nextOf(count: number): QueuedRequest[] {
    const found: QueuedRequest[] = [];
    while (found.length < count && this.#hosts.size > 0) {
      const [[host, waiting]] = this.#hosts as unknown as [[string, QueuedRequest[]]];
      found.push(waiting.shift() as QueuedRequest);
      this.#hosts.delete(host);
      if (waiting.length > 0) this.#hosts.set(host, waiting);
    }
    return found;
  }

  #settle(args: Document): object {
    const { fingerprints, takes, outcomes, delays, errors } = args as {
      fingerprints: Binary;
      takes: number[];
      outcomes: string;
      delays: number[];
      errors: (string | null)[];
    };
    for (const [index, take] of takes.entries()) {
      const request = this.#requests.get(idAt(fingerprints, index));
      if (request?.state !== 'l' || request.take !== take) continue;
      const state = outcomes[index] as State;
      const retries = request.retries + (state === 'd' ? 1 : 0);
      const error = state === 'x' ? null : (errors[index] ?? request.error);
      const data = state === 'x' ? null : request.data;
      this.#move(request, { state, retries, error, data, due: Date.now() + (delays[index] as number) });
    }
    this.#collection.save();
    return {};
  }

  /** Changes a request, here and in the file. Its place among the waiting ones must be free. */
  #move(request: QueuedRequest, changes: Partial<QueuedRequest>): void {
    this.#delayed.delete(request);
    this.#leased.delete(request);
    const before = { ...request };
    Object.assign(request, changes);
    this.#collection.put(request, before);
    this.#list(request);
  }

  #list(request: QueuedRequest): void {
    if (request.state === 'd') this.#delayed.add(request);
    if (request.state === 'l') this.#leased.add(request);
    if (request.state !== 'w') return;
    const waiting = this.#hosts.get(request.host) ?? [];
    this.#hosts.set(request.host, waiting);
    waiting.splice(placeIn(waiting, request.rank), 0, request);
  }
}

/** Returns where in a sorted list a request belongs. Most belong at the end. */
function placeIn(sorted: QueuedRequest[], rank: number): number {
  if ((sorted.at(-1)?.rank ?? -Infinity) <= rank) return sorted.length;
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] as QueuedRequest).rank <= rank) from = middle + 1;
    else to = middle;
  }
  return from;
}

function idAt({ buffer }: Binary, index: number): string {
  const hex = Buffer.from(buffer.subarray(index * 16, index * 16 + 16)).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
