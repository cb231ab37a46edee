import { writeSync } from 'node:fs';
import { LIMITS } from '@trawl/contracts';
import type { EchoItem, MessageFromRun } from '../pipe-messages.js';
import { checkedEcho } from '../run-echo.js';

const BATCH_CHARS = 16 * 1024;
const BATCH_MS = 50;

/**
 * The way out of the run. Echoes are gathered and written 16 KB at a time, and at the latest when the loop turns.
 *
 * Writing blocks: when the worker is slower than the skript it is the skript that waits, and no memory fills.
 */
export class MessagesPipe {
  readonly #fd: number;
  #items: EchoItem[] = [];
  #chars = 0;
  #since = 0;
  #flushSoon: NodeJS.Immediate | undefined;

  constructor(fd: number) {
    this.#fd = fd;
  }

  echo(sent: EchoItem): void {
    // The worker cuts it as well; cut here, a text of any size fits the pipe's lines.
    const item = sent[1].length > LIMITS.echoMsgChars ? checkedEcho(sent) : sent;
    if (this.#items.length === 0) {
      this.#since = Date.now();
      this.#flushSoon ??= setImmediate(() => this.flush());
    }
    this.#items.push(item);
    this.#chars += item[1].length;
    if (this.#chars >= BATCH_CHARS || this.#items.length >= 1_000 || Date.now() - this.#since >= BATCH_MS) this.flush();
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
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
    let written = 0;
    while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
  }
}
