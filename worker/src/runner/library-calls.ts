import type { CommandsPipe } from './commands-pipe.js';

/** Maximum number of calls that the worker has not answered yet. Further calls wait in the memory of the skript. */
const MAX_CONCURRENT_CALLS = 16;

/** Sends calls of the library @trawl/storage to the worker, and returns the answers. */
export class LibraryCalls<Call, Answer> {
  readonly #open = new Map<number, (answer: Answer) => void>();
  readonly #waiting: (() => void)[] = [];
  #last = 0;

  /**
   * @param symbol name of the global function by which the library makes a call
   * @param send writes a call with its number to the worker
   */
  constructor(
    private readonly symbol: string,
    private readonly commands: CommandsPipe,
    private readonly send: (call: number, op: Call) => void,
  ) {}

  install(): void {
    Object.defineProperty(globalThis, Symbol.for(this.symbol), { value: (op: Call) => this.call(op) });
  }

  answer(call: number, answer: Answer): void {
    const resolve = this.#open.get(call);
    if (!resolve) return;
    resolve(answer);
    this.#open.delete(call);
    this.commands.release();
    this.#waiting.shift()?.();
  }

  /** Forgets all open calls when a run has ended. Their promises never settle. */
  forget(): void {
    for (const _call of this.#open.keys()) this.commands.release();
    this.#open.clear();
    this.#waiting.length = 0;
  }

  async call(op: Call): Promise<Answer> {
    if (this.#open.size >= MAX_CONCURRENT_CALLS) await new Promise<void>(resolve => this.#waiting.push(resolve));
    this.#last += 1;
    const call = this.#last;
    this.commands.hold();
    return new Promise(resolve => {
      this.#open.set(call, resolve);
      this.send(call, op);
    });
  }
}
