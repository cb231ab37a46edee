import { setTimeout as delay } from 'node:timers/promises';
import type { Echo } from '@trawl/contracts';

const BATCH_MS = 50;
/** While the connection is busy, the batch is tried again after this many milliseconds. */
const RETRY_MS = 5;
const BATCH_BYTES = 768 * 1024;
const BATCH_ITEMS = 5_000;
/** Number of bytes that an echo needs in a frame in addition to its text. */
const AROUND_BYTES = 120;
/** How long a run with many echoes waits for a busy connection. After that, the run continues and batches are lost. */
const MAX_HOLD_MS = 250;

/**
 * Sends the echoes of one run in batches while somebody watches it. While the connection is busy, a batch waits. If the
 * batch is full before the connection is free, it is dropped. The user sees a gap in the numbers of the echoes.
 */
export class LiveView {
  readonly #show: (fromSeq: number, items: Echo[]) => boolean;
  #on = false;
  #items: Echo[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The time when the connection first refused the current batch, by `performance.now()`. */
  #refusedSince: number | undefined;

  /** @param show returns false when the connection is too busy for the batch */
  constructor(show: (fromSeq: number, items: Echo[]) => boolean) {
    this.#show = show;
  }

  watch(on: boolean): void {
    this.#on = on;
    if (!on) this.flush();
  }

  add(echo: Echo): void {
    if (!this.#on) return;
    // A text may get six times as long when it is escaped in the frame.
    const bytes = AROUND_BYTES + 6 * echo.msg.length;
    if (this.#bytes + bytes > BATCH_BYTES || this.#items.length >= BATCH_ITEMS) {
      this.flush();
      this.#clear();
    }
    this.#items.push(echo);
    this.#bytes += bytes;
    this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  /** Sends the batch now, or as soon as the connection is free. */
  flush(): void {
    const [first] = this.#items;
    if (!first || this.#show(first.seq, this.#items)) {
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
    const isFilling = this.#items.length > BATCH_ITEMS / 4 || this.#bytes > BATCH_BYTES / 4;
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
    this.#bytes = 0;
  }
}
