import type { Echo } from '@trawl/contracts';

const BATCH_MS = 50;
/** Before another try, while the connection takes none. */
const RETRY_MS = 5;
const BATCH_BYTES = 768 * 1024;
const BATCH_ITEMS = 5_000;
/** What is around the text of an echo in a frame. */
const AROUND_BYTES = 120;
/** So long a run that floods is held up for a connection that takes no batch; then batches are lost instead. */
const MAX_HOLD_MS = 250;

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
  /** Since when the connection takes nothing, by `performance.now()`. */
  #refusedSince: number | undefined;

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
    // As it may stand in the frame: escaped, a text can be six times as long.
    const bytes = AROUND_BYTES + 6 * echo.msg.length;
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
    if (!first || this.#show(first.seq, this.#items)) {
      this.#clear();
      this.#refusedSince = undefined;
      return;
    }
    this.#refusedSince ??= performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), RETRY_MS);
  }

  /** What to wait for before more echoes are added, so that none is lost; undefined when nothing. */
  pace(): Promise<void> | undefined {
    const isFilling = this.#items.length > BATCH_ITEMS / 4 || this.#bytes > BATCH_BYTES / 4;
    if (!isFilling || this.#timer === undefined) return undefined;
    if (this.#refusedSince === undefined) this.flush();
    return this.#isHeld ? this.#taken() : undefined;
  }

  get #isHeld(): boolean {
    return this.#refusedSince !== undefined && performance.now() - this.#refusedSince < MAX_HOLD_MS;
  }

  async #taken(): Promise<void> {
    while (this.#isHeld) await new Promise(resolve => setTimeout(resolve, RETRY_MS));
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#items = [];
    this.#bytes = 0;
  }
}
