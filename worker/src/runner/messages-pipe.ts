import { writeSync } from 'node:fs';
import { LIMITS, pipeLine } from '@trawl/contracts';
import { checkedEcho } from '../protocol/echo-items.js';
import type { EchoItem, MessageFromRun } from '../protocol/pipe-messages.js';

const BATCH_CHARS = 16 * 1024;
/** The worker makes objects of a batch. If they were more, they would often outlive a collection of its young generation. */
const BATCH_ITEMS = 400;
/**
 * In each window of time, this many echoes are written immediately. Further echoes are collected and written together.
 */
const DIRECT_ITEMS = 64;
const WINDOW_MS = 50;

/**
 * Writes the run's messages to the worker. If a skript echoes rarely, each echo is written immediately, so that it is
 * not lost even if the skript then runs in an endless loop. Many echoes are collected and written together.
 *
 * Each write blocks. So a skript that echoes faster than the worker reads must wait, and the echoes do not fill the
 * memory.
 */
export class MessagesPipe {
  readonly #fd: number;
  /** Number of the current run in this process, from `StartCommand.run`. */
  run = 0;
  #items: EchoItem[] = [];
  #chars = 0;
  #windowStart = 0;
  #direct = 0;
  #flushSoon: NodeJS.Immediate | undefined;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Lets @trawl/storage tell values of sessions, as JSON, that echoes from now on must not contain. */
  install(): void {
    Object.defineProperty(globalThis, Symbol.for('trawl.redactSession'), {
      value: (json: string) => this.send({ t: 'session' }, Buffer.from(json)),
    });
  }

  echo(sent: EchoItem): void {
    // The worker cuts the text too. Cut it here already, so that it fits into a line of the pipe.
    const item = sent[1].length > LIMITS.echoMsgChars ? checkedEcho(sent) : sent;
    this.#items.push(item);
    this.#chars += item[1].length;
    const isBatch = this.#chars >= BATCH_CHARS || this.#items.length >= BATCH_ITEMS;
    if (isBatch || this.#isOccasional()) this.flush();
    else this.#flushSoon ??= setImmediate(() => this.flush());
  }

  #isOccasional(): boolean {
    const now = Date.now();
    if (now - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = now;
      this.#direct = 0;
    }
    this.#direct += 1;
    return this.#direct <= DIRECT_ITEMS;
  }

  send(message: MessageFromRun, data?: Uint8Array): void {
    this.flush();
    this.#write(message, data);
  }

  flush(): void {
    clearImmediate(this.#flushSoon);
    this.#flushSoon = undefined;
    if (this.#items.length === 0) return;
    const items = this.#items;
    this.#items = [];
    this.#chars = 0;
    this.#write({ t: 'echoes', items });
  }

  #write(message: MessageFromRun, data?: Uint8Array): void {
    const bytes = pipeLine({ run: this.run, ...message }, data);
    let written = 0;
    while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
  }
}
