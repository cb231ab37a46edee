import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

const LINE_END = 0x0a;

/** So many lines, or so much time, are dealt with at once; then everything else that the worker does has its turn. */
const LINES_AT_ONCE = 256;
const TURN_MS = 4;
/** Only a line that is made to be slow takes so long. */
const LONG_MS = 25;
/** More than a pipe holds: what still comes then is being written. */
const MAX_LEFT_BYTES = 4 * 1024 * 1024;

export interface LineReaderOptions {
  /** Longer lines are handed on up to here, and the rest of them is dropped. */
  maxBytes: number;
  line: (text: string, cut: boolean) => void;
  /** Called after every few lines and each piece that was read; nothing more is read until what it returns resolves. */
  pace?: () => Promise<void> | undefined;
}

/**
 * Reads a pipe line by line, in bounded memory whatever comes, and in short turns however much comes. `ended` resolves
 * at its end, or when it breaks.
 */
export class LineReader {
  readonly ended: Promise<void>;
  readonly #options: LineReaderOptions;
  #isReading = false;
  #bytesRead = 0;
  #parts: Buffer[] = [];
  #bytes = 0;
  #cut = false;

  constructor(stream: Readable, options: LineReaderOptions) {
    this.#options = options;
    this.ended = this.#readAll(stream);
  }

  /**
   * Resolves when all that a process left in its pipe has been read: at the pipe's end or, while another process holds it
   * open, when nothing has come for `idleMs`. The time that this side takes for what came does not count.
   */
  async leftRead(idleMs: number): Promise<void> {
    let isOver = false;
    const over = this.ended.then(() => {
      isOver = true;
    });
    const most = this.#bytesRead + MAX_LEFT_BYTES;
    for (let before = -1; !isOver && this.#bytesRead < most; ) {
      if (before === this.#bytesRead && !this.#isReading) return;
      before = this.#bytesRead;
      let timer: NodeJS.Timeout | undefined;
      // The turn after the timer's: a worker that was held up finds what has come meanwhile before it judges.
      const idle = new Promise(resolve => {
        timer = setTimeout(() => setImmediate(resolve), idleMs);
      });
      await Promise.race([over, idle]);
      clearTimeout(timer);
    }
  }

  async #readAll(stream: Readable): Promise<void> {
    // Not by its `data` events: a socket that was paused in one of these may emit another before it is resumed.
    const pieces: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
    for (;;) {
      // That it broke is one way to end.
      const piece = await pieces.next().catch(() => null);
      if (!piece || piece.done) break;
      this.#isReading = true;
      this.#bytesRead += piece.value.length;
      await this.#take(piece.value);
      this.#isReading = false;
    }
    if (this.#bytes > 0) this.#emit();
  }

  /** Resolves when what was in the pipe has been read: a turn of the loop has found nothing in it. */
  async emptied(): Promise<void> {
    const most = this.#bytesRead + MAX_LEFT_BYTES;
    for (let before = -1; this.#bytesRead < most; ) {
      if (before === this.#bytesRead && !this.#isReading) return;
      before = this.#bytesRead;
      // The first may come before this turn has looked at the pipe, the second is behind the look of the next.
      await turn();
      await turn();
    }
  }

  async #take(bytes: Buffer): Promise<void> {
    let from = 0;
    let lines = 0;
    let begun = performance.now();
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, from)) {
      this.#keep(bytes.subarray(from, end));
      this.#emit();
      from = end + 1;
      lines += 1;
      if (lines % LINES_AT_ONCE === 0 || performance.now() - begun > TURN_MS) {
        await this.#giveWay(performance.now() - begun);
        begun = performance.now();
      }
    }
    this.#keep(bytes.subarray(from));
    await this.#giveWay(performance.now() - begun);
  }

  #giveWay(spentMs: number): Promise<void> {
    const asked = this.#options.pace?.();
    if (asked) return asked;
    return new Promise(resolve => {
      if (spentMs > LONG_MS) setTimeout(resolve, 4 * spentMs);
      else setImmediate(resolve);
    });
  }

  #keep(bytes: Buffer): void {
    const room = this.#options.maxBytes - this.#bytes;
    if (bytes.length > room) this.#cut = true;
    if (room <= 0 || bytes.length === 0) return;
    this.#parts.push(bytes.subarray(0, room));
    this.#bytes += Math.min(room, bytes.length);
  }

  #emit(): void {
    const line = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts);
    const cut = this.#cut;
    this.#parts = [];
    this.#bytes = 0;
    this.#cut = false;
    // The decoder leaves out a character that was cut in two: with anything in its place, nobody would see that what stands
    // before it begins a secret's value.
    this.#options.line(cut ? new StringDecoder('utf8').write(line) : line.toString('utf8'), cut);
  }
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
