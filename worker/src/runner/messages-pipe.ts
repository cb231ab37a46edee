import { writeSync } from 'node:fs';
import { LIMITS } from '@trawl/contracts';
import { type EchoItem, MAX_BATCH_ITEMS, type MessageFromRun } from '../pipe-messages.js';
import { checkedEcho } from '../run-echo.js';

const BATCH_CHARS = 16 * 1024;
/** So many echoes are written at once in each window of time; beyond that they are gathered. */
const DIRECT_ITEMS = 64;
const WINDOW_MS = 50;

/**
 * The way out of the run. What a skript says now and then is written at once, so that it is known whatever happens to the
 * process next, even a loop without end; a flood is gathered and written 16 KB at a time.
 *
 * Writing blocks: when the worker is slower than the skript it is the skript that waits, and no memory fills.
 */
export class MessagesPipe {
  readonly #fd: number;
  /** Which run of this process it is that speaks: `StartCommand.run`. */
  run = 0;
  #items: EchoItem[] = [];
  #chars = 0;
  #windowStart = 0;
  #direct = 0;
  #flushSoon: NodeJS.Immediate | undefined;

  constructor(fd: number) {
    this.#fd = fd;
  }

  echo(sent: EchoItem): void {
    // The worker cuts it as well; cut here, a text of any size fits the pipe's lines.
    const item = sent[1].length > LIMITS.echoMsgChars ? checkedEcho(sent) : sent;
    this.#items.push(item);
    this.#chars += item[1].length;
    const isBatch = this.#chars >= BATCH_CHARS || this.#items.length >= MAX_BATCH_ITEMS;
    if (isBatch || this.#isNowAndThen()) this.flush();
    else this.#flushSoon ??= setImmediate(() => this.flush());
  }

  #isNowAndThen(): boolean {
    const now = Date.now();
    if (now - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = now;
      this.#direct = 0;
    }
    this.#direct += 1;
    return this.#direct <= DIRECT_ITEMS;
  }

  send(message: MessageFromRun): void {
    this.flush();
    this.#write(message);
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

  #write(message: MessageFromRun): void {
    const bytes = Buffer.from(`${JSON.stringify({ run: this.run, ...message })}\n`);
    let written = 0;
    while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
  }
}
