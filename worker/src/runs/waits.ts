import type { RunWait } from '@trawl/contracts';
import type { QueuePlace } from '@trawl/libraries';
import type { Connection } from '../platform/connection.js';

/**
 * Waits that are shorter than this are not reported, because nobody could read them. On a busy worker, each run waits
 * for its process, and two reports cost four frames and two SQL statements.
 */
const REPORTED_AFTER_MS = 1_000;

/** Reports to the platform what a run on this worker waits for. */
export class RunWaits {
  readonly #connection: Pick<Connection, 'deliver'>;
  readonly #run: string;
  readonly #over: AbortSignal;
  /** For each reason to wait: how many parts of the run are waiting for it now. */
  readonly #waiting = new Map<RunWait, number>();
  #sequence = 0;
  #lastReported: RunWait | null = null;
  #queue: QueuePlace | null = null;
  /** The last report that is being sent. The next one waits for it, so that reports stay in order. */
  #reporting = Promise.resolve();

  constructor(connection: Pick<Connection, 'deliver'>, run: string, over: AbortSignal) {
    this.#connection = connection;
    this.#run = run;
    this.#over = over;
  }

  /** Adds a wait. Call the returned function once, when the wait is over. */
  begin(wait: RunWait): () => void {
    this.#change(wait, 1);
    return () => this.#change(wait, -1);
  }

  /** Sets the place in the queue of the wait that is going on; null if nothing else comes first. */
  setPlace(queue: QueuePlace | null): void {
    if (queue?.place === this.#queue?.place && queue?.of === this.#queue?.of) return;
    this.#queue = queue;
    if (this.#lastReported !== null) this.#report(this.#lastReported);
  }

  /** Awaits a promise, and reports the wait if it takes longer than `REPORTED_AFTER_MS`. */
  async ifLong<T>(wait: RunWait, promise: Promise<T>): Promise<T> {
    let endWait = () => {};
    const timer = setTimeout(() => {
      endWait = this.begin(wait);
    }, REPORTED_AFTER_MS);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      endWait();
    }
  }

  #change(wait: RunWait, by: 1 | -1): void {
    const waiting = (this.#waiting.get(wait) ?? 0) + by;
    if (waiting > 0) this.#waiting.set(wait, waiting);
    else this.#waiting.delete(wait);
    const [first = null] = this.#waiting.keys();
    if (first !== this.#lastReported) this.#report(first);
  }

  /**
   * Reports a wait to the platform. The report is only shown to users, so the run does not wait for it and ignores
   * errors.
   */
  #report(waiting_for: RunWait | null): void {
    this.#lastReported = waiting_for;
    this.#sequence += 1;
    const seq = this.#sequence;
    const queue = waiting_for === 'libraries_installing' && this.#queue ? { queue: this.#queue } : {};
    const state = { id: this.#run, seq, waiting_for, ...queue };
    // A report that has not been sent is left out when there is a newer one: places change faster than they are read.
    const isOld = () => seq !== this.#sequence && waiting_for === this.#lastReported;
    const send = async () => isOld() || this.#connection.deliver('state', () => state, this.#over);
    this.#reporting = this.#reporting.then(send).then(
      () => undefined,
      () => undefined,
    );
  }
}
