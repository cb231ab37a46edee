import type { StorageAnswer } from '@trawl/contracts';
import type { StorageCall } from '../pipe-messages.js';
import type { CommandsPipe } from './commands-pipe.js';
import type { MessagesPipe } from './messages-pipe.js';

/** Calls that may be without an answer at a time; more wait here, in the skript's own memory. */
const MAX_UNDER_WAY = 16;

/** The port that @trawl/storage speaks to: hands its calls to the worker and the answers back. */
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
    Object.defineProperty(globalThis, Symbol.for('trawl.storage'), { value: (op: StorageCall) => this.#call(op) });
  }

  answer(call: number, answer: StorageAnswer): void {
    const resolve = this.#open.get(call);
    if (!resolve) return;
    resolve(answer);
    this.#open.delete(call);
    this.#commands.release();
    this.#waiting.shift()?.();
  }

  /** The run is over: what it did not wait for is never answered. */
  forget(): void {
    for (const _call of this.#open.keys()) this.#commands.release();
    this.#open.clear();
    this.#waiting.length = 0;
  }

  async #call(op: StorageCall): Promise<StorageAnswer> {
    if (this.#open.size >= MAX_UNDER_WAY) await new Promise<void>(resolve => this.#waiting.push(resolve));
    this.#last += 1;
    const call = this.#last;
    this.#commands.hold();
    return new Promise(resolve => {
      this.#open.set(call, resolve);
      this.#messages.send({ t: 'storage', call, op });
    });
  }
}
