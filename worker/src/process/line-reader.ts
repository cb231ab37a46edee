import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { dataBytesOf } from '@trawl/contracts';

const LINE_END = 0x0a;

/** After this many lines, or this many milliseconds, the reader pauses so that the worker can do other work. */
const LINES_AT_ONCE = 256;
const TURN_MS = 4;
/**
 * If a line takes longer than this, it was probably made to slow the worker down. The reader then waits longer before
 * it goes on.
 */
const SLOW_MS = 25;
/**
 * More bytes than fit into a pipe. If more are read after the end of a process, another process must be writing to the
 * pipe.
 */
const MAX_LEFT_BYTES = 4 * 1024 * 1024;

export interface LineReaderOptions {
  /** Maximum length of a line, in bytes. A longer line is cut. */
  maxBytes: number;
  /**
   * Maximum length of the data behind a line, in bytes; 0 by default. If a line announces more, its data is read as
   * lines.
   */
  maxDataBytes?: number;
  line: (text: string, cut: boolean, data: Buffer | null) => void;
  /**
   * Called after each piece that was read and every few lines. If it returns a promise, the reader waits for it before
   * it reads on.
   */
  pace?: () => Promise<void> | undefined;
}

/**
 * Reads a pipe line by line. Whatever a run writes, the reader uses a limited amount of memory and blocks the worker
 * only for short times. `ended` resolves when the pipe closes or breaks.
 */
export class LineReader {
  readonly ended: Promise<void>;
  readonly #options: LineReaderOptions;
  #isReading = false;
  #bytesRead = 0;
  #parts: Buffer[] = [];
  #bytes = 0;
  #cut = false;
  /** The line whose data is arriving. */
  #line: string | null = null;
  #missingDataBytes = 0;

  constructor(stream: Readable, options: LineReaderOptions) {
    this.#options = options;
    this.ended = this.#readAll(stream);
  }

  /**
   * Call after the process has ended. Resolves when everything that it left in the pipe has been read: when the pipe
   * has closed or, if another process keeps the pipe open, when nothing has arrived for `idleMs`. The time in which the
   * worker handles the lines does not count.
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
      // Wait for one more turn of the event loop, so that a worker that hung first reads the bytes that have already
      // arrived.
      const idle = new Promise(resolve => {
        timer = setTimeout(() => setImmediate(resolve), idleMs);
      });
      await Promise.race([over, idle]);
      clearTimeout(timer);
    }
  }

  async #readAll(stream: Readable): Promise<void> {
    // Do not use `data` events: when a socket is paused in such an event, another event may still follow.
    const pieces: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
    for (;;) {
      // A broken pipe counts as ended.
      const piece = await pieces.next().catch(() => null);
      if (!piece || piece.done) break;
      this.#isReading = true;
      this.#bytesRead += piece.value.length;
      await this.#split(piece.value);
      this.#isReading = false;
    }
    if (this.#bytes > 0 && this.#line === null) this.#endLine();
  }

  /** Resolves when the pipe is empty, that is, when a turn of the event loop has found nothing in it. */
  async emptied(): Promise<void> {
    const most = this.#bytesRead + MAX_LEFT_BYTES;
    for (let before = -1; this.#bytesRead < most; ) {
      if (before === this.#bytesRead && !this.#isReading) return;
      before = this.#bytesRead;
      // Wait for two turns, because the first one may end before Node polls the pipe.
      await nextTurn();
      await nextTurn();
    }
  }

  async #split(bytes: Buffer): Promise<void> {
    let from = this.#takeData(bytes, 0);
    let lines = 0;
    let begun = performance.now();
    for (let end = bytes.indexOf(LINE_END, from); end >= 0; end = bytes.indexOf(LINE_END, from)) {
      this.#keep(bytes.subarray(from, end));
      this.#endLine();
      from = this.#takeData(bytes, end + 1);
      lines += 1;
      if (lines % LINES_AT_ONCE === 0 || performance.now() - begun > TURN_MS) {
        await this.#yieldAfter(performance.now() - begun);
        begun = performance.now();
      }
    }
    this.#keep(bytes.subarray(from));
    await this.#yieldAfter(performance.now() - begun);
  }

  #yieldAfter(spentMs: number): Promise<void> {
    const pause = this.#options.pace?.();
    if (pause) return pause;
    return spentMs > SLOW_MS ? delay(4 * spentMs) : nextTurn();
  }

  #keep(bytes: Buffer): void {
    const room = this.#options.maxBytes - this.#bytes;
    if (bytes.length > room) this.#cut = true;
    if (room <= 0 || bytes.length === 0) return;
    this.#parts.push(bytes.subarray(0, room));
    this.#bytes += Math.min(room, bytes.length);
  }

  /** Takes the data of the last line from `bytes`. Returns where the next line begins. */
  #takeData(bytes: Buffer, from: number): number {
    if (this.#line === null) return from;
    const piece = bytes.subarray(from, from + this.#missingDataBytes);
    this.#parts.push(piece);
    this.#missingDataBytes -= piece.length;
    if (this.#missingDataBytes === 0) {
      const line = this.#line;
      this.#line = null;
      this.#options.line(line, false, this.#takeParts());
    }
    return from + piece.length;
  }

  #endLine(): void {
    const cut = this.#cut;
    const bytes = this.#takeParts();
    // Decode a cut line with StringDecoder, which omits an incomplete character at the end. `toString` would add a
    // replacement character, and the worker could then not recognise the beginning of a secret before it.
    const line = cut ? new StringDecoder('utf8').write(bytes) : bytes.toString('utf8');
    const dataBytes = cut ? 0 : dataBytesOf(line);
    if (dataBytes > 0 && dataBytes <= (this.#options.maxDataBytes ?? 0)) {
      this.#line = line;
      this.#missingDataBytes = dataBytes;
    } else {
      this.#options.line(line, cut, null);
    }
  }

  #takeParts(): Buffer {
    const bytes = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    this.#cut = false;
    return bytes;
  }
}
