import type { StorageAnswer, StorageOperation } from '@trawl/contracts';
import type { CommandsPipe } from './commands-pipe.js';
import type { MessagesPipe } from './messages-pipe.js';

/** Maximum number of calls that the worker has not answered yet. Further calls wait in the memory of the skript. */
const MAX_CONCURRENT_CALLS = 16;

type Call = Omit<StorageOperation, 'resend'>;

/** Sends the calls of the library @trawl/storage to the worker, and returns the answers. */
export class StorageCalls {
  readonly #messages: MessagesPipe;
  readonly #commands: CommandsPipe;
  readonly #open = new Map<number, (answer: StorageAnswer) => void>();
  readonly #waiting: (() => void)[] = [];
  #last = 0;

  constructor(messages: MessagesPipe, commands: CommandsPipe) {
    this.#messages = messages;
    this.#commands = commands;
  }

  install(): void {
    Object.defineProperty(globalThis, Symbol.for('trawl.storage'), { value: (op: Call) => this.#call(op) });
  }

  answer(call: number, answer: StorageAnswer): void {
    const resolve = this.#open.get(call);
    if (!resolve) return;
    resolve(answer);
    this.#open.delete(call);
    this.#commands.release();
    this.#waiting.shift()?.();
  }

  /** Forgets all open calls when a run has ended. Their promises never settle. */
  forget(): void {
    for (const _call of this.#open.keys()) this.#commands.release();
    this.#open.clear();
    this.#waiting.length = 0;
  }

  async #call({ args, ...op }: Call): Promise<StorageAnswer> {
    if (this.#open.size >= MAX_CONCURRENT_CALLS) await new Promise<void>(resolve => this.#waiting.push(resolve));
    this.#last += 1;
    const call = this.#last;
    this.#commands.hold();
    return new Promise(resolve => {
      this.#open.set(call, resolve);
      this.#messages.send({ t: 'storage', call, op }, args);
    });
  }
}
