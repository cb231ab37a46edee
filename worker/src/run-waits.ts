import type { RunWait } from '@trawl/contracts';
import type { Connection } from './connection.js';

/** What takes no longer costs no frame: a process is mostly there at once. */
const LONG_MS = 100;

/** Tells the platform what a run that is on this worker waits for. */
export class RunWaits {
  readonly #connection: Connection;
  readonly #run: string;
  readonly #over: AbortSignal;
  /** How much of the run waits for each just now. */
  readonly #waiting = new Map<RunWait, number>();
  #sequence = 0;
  #told: RunWait | null = null;
  /** What was said last, for the next to come after it. */
  #said = Promise.resolve();

  constructor(connection: Connection, run: string, over: AbortSignal) {
    this.#connection = connection;
    this.#run = run;
    this.#over = over;
  }

  /** From now on the run waits for this, too; what it gives is called once when that is over. */
  begin(wait: RunWait): () => void {
    this.#change(wait, 1);
    return () => this.#change(wait, -1);
  }

  /** Until this has come, the run waits for it, which is said only when it takes long. */
  async ifLong<T>(wait: RunWait, coming: Promise<T>): Promise<T> {
    let goesOn = () => {};
    const timer = setTimeout(() => {
      goesOn = this.begin(wait);
    }, LONG_MS);
    try {
      return await coming;
    } finally {
      clearTimeout(timer);
      goesOn();
    }
  }

  #change(wait: RunWait, by: 1 | -1): void {
    const waiting = (this.#waiting.get(wait) ?? 0) + by;
    if (waiting > 0) this.#waiting.set(wait, waiting);
    else this.#waiting.delete(wait);
    const [first = null] = this.#waiting.keys();
    if (first !== this.#told) this.#say(first);
  }

  /** For people to read: the run does not wait for it to be heard, nor fail when it is refused. */
  #say(waiting_for: RunWait | null): void {
    this.#told = waiting_for;
    this.#sequence += 1;
    const state = { id: this.#run, seq: this.#sequence, waiting_for };
    const say = () => this.#connection.deliver('state', () => state, this.#over);
    this.#said = this.#said.then(say).then(
      () => undefined,
      () => undefined,
    );
  }
}
