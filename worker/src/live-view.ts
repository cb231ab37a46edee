import type { Echo } from '@trawl/contracts';

const BATCH_MS = 50;
const BATCH_BYTES = 256 * 1024;
const BATCH_ITEMS = 5_000;

/** Echoes of one run as they come, in batches, while someone watches. */
export class LiveView {
  readonly #show: (fromSeq: number, items: Echo[]) => void;
  #on = false;
  #items: Echo[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(show: (fromSeq: number, items: Echo[]) => void) {
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
    if (this.#bytes + bytes > BATCH_BYTES || this.#items.length >= BATCH_ITEMS) this.flush();
    this.#items.push(echo);
    this.#bytes += bytes;
    this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  /** Shows what is gathered, at once. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const items = this.#items;
    this.#items = [];
    this.#bytes = 0;
    if (items[0]) this.#show(items[0].seq, items);
  }
}
