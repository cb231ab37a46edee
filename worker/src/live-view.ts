import type { Echo } from '@trawl/contracts';

const BATCH_MS = 50;
const BATCH_BYTES = 256 * 1024;
const BATCH_ITEMS = 5_000;

/**
 * Echoes of one run as they come, in batches, while someone watches. A batch that the connection cannot take yet is kept
 * until it can; when another is full by then, it is dropped, which the viewer sees by the numbers.
 */
export class LiveView {
  readonly #show: (fromSeq: number, items: Echo[]) => boolean;
  #on = false;
  #items: Echo[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `show` answers whether the batch was taken. */
  constructor(show: (fromSeq: number, items: Echo[]) => boolean) {
    this.#show = show;
  }

  watch(on: boolean): void {
    this.#on = on;
    if (!on) this.flush();
  }

  add(echo: Echo): void {
    if (!this.#on) return;
    // As it stands in the frame: escaped, a text can be six times as long.
    const bytes = Buffer.byteLength(JSON.stringify(echo));
    if (this.#bytes + bytes > BATCH_BYTES || this.#items.length >= BATCH_ITEMS) {
      this.flush();
      this.#clear();
    }
    this.#items.push(echo);
    this.#bytes += bytes;
    this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  /** Shows what is gathered, at once, or as soon as the connection takes it. */
  flush(): void {
    const [first] = this.#items;
    if (!first || this.#show(first.seq, this.#items)) this.#clear();
    else {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.flush(), BATCH_MS);
    }
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#items = [];
    this.#bytes = 0;
  }
}
