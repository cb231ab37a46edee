import { setTimeout as delay } from 'node:timers/promises';
import { echoesJson, MAX_LIVE_ECHOES } from '@trawl/contracts';
import type { CheckedEcho } from '../protocol/echo-items.js';

const BATCH_MS = 50;
/** While the connection is busy, the batch is tried again after this many milliseconds. */
const RETRY_MS = 5;
const BATCH_BYTES = 768 * 1024;
/**
 * A batch of this size is sent at once. Its text is then not larger than 128 KB, above which V8 gives each text pages of its
 * own: in a flood, this takes a lot of processor time.
 */
const FILLING_BYTES = 64 * 1024;
/** How long a run with many echoes waits for a busy connection. After that, the run continues and batches are lost. */
const MAX_HOLD_MS = 250;

/**
 * Sends the echoes of one run in batches while somebody watches it. While the connection is busy, a batch waits. If the
 * batch is full before the connection is free, it is dropped. The user sees a gap in the numbers of the echoes.
 */
export class LiveView {
  readonly #show: (fromSeq: number, items: string[]) => boolean;
  #on = false;
  /** The echoes in the batch as JSON texts, each of one or more echoes with commas between them. */
  #items: string[] = [];
  /** Number of the first echo in the batch. */
  #fromSeq = 0;
  #count = 0;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The time when the connection first refused the current batch, by `performance.now()`. */
  #refusedSince: number | undefined;

  /** @param show returns false when the connection is too busy for the batch */
  constructor(show: (fromSeq: number, items: string[]) => boolean) {
    this.#show = show;
  }

  watch(on: boolean): void {
    this.#on = on;
    if (!on) this.flush();
  }

  /** @param fromSeq number of the first of these echoes */
  add(fromSeq: number, echoes: CheckedEcho[]): void {
    if (!this.#on || echoes.length === 0) return;
    const items = echoesJson(fromSeq, echoes);
    const bytes = Buffer.byteLength(items) + 1;
    if (bytes > BATCH_BYTES && echoes.length > 1) {
      for (const [index, echo] of echoes.entries()) this.add(fromSeq + index, [echo]);
      return;
    }
    if (this.#bytes + bytes > BATCH_BYTES || this.#count + echoes.length > MAX_LIVE_ECHOES) {
      this.flush();
      this.#clear();
    }
    if (this.#count === 0) this.#fromSeq = fromSeq;
    this.#items.push(items);
    this.#count += echoes.length;
    this.#bytes += bytes;
    this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  /** Sends the batch now, or as soon as the connection is free. */
  flush(): void {
    if (this.#count === 0 || this.#show(this.#fromSeq, this.#items)) {
      this.#clear();
      this.#refusedSince = undefined;
      return;
    }
    this.#refusedSince ??= performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), RETRY_MS);
  }

  /**
   * Returns a promise that the caller should await before it adds more echoes, so that none is lost. Returns undefined
   * if the caller need not wait.
   */
  pace(): Promise<void> | undefined {
    const isFilling = this.#count > MAX_LIVE_ECHOES / 4 || this.#bytes > FILLING_BYTES;
    if (!isFilling || this.#timer === undefined) return undefined;
    if (this.#refusedSince === undefined) this.flush();
    return this.#isHeld ? this.#untilSent() : undefined;
  }

  get #isHeld(): boolean {
    return this.#refusedSince !== undefined && performance.now() - this.#refusedSince < MAX_HOLD_MS;
  }

  async #untilSent(): Promise<void> {
    while (this.#isHeld) await delay(RETRY_MS);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#items = [];
    this.#count = 0;
    this.#bytes = 0;
  }
}
