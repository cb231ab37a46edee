import type { Readable } from 'node:stream';

const LINE_END = 0x0a;

export interface LineReaderOptions {
  /** Longer lines are handed on up to here, and the rest of them is dropped. */
  maxBytes: number;
  line: (text: string, cut: boolean) => void;
  /** Called after each piece that was read; the stream is paused until what it returns resolves. */
  pace?: () => Promise<void> | undefined;
}

/** Reads a pipe line by line, in bounded memory whatever comes. `ended` resolves at its end, or when it breaks. */
export class LineReader {
  readonly ended: Promise<void>;
  readonly #options: LineReaderOptions;
  #parts: Buffer[] = [];
  #bytes = 0;
  #cut = false;

  constructor(stream: Readable, options: LineReaderOptions) {
    this.#options = options;
    stream.on('data', (bytes: Buffer) => {
      this.#take(bytes);
      const pause = options.pace?.();
      if (!pause) return;
      stream.pause();
      void pause.then(() => stream.resume());
    });
    this.ended = new Promise(resolve => {
      stream.once('close', () => {
        if (this.#bytes > 0) this.#emit();
        resolve();
      });
    });
  }

  #take(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, from)) {
      this.#keep(bytes.subarray(from, end));
      this.#emit();
      from = end + 1;
    }
    this.#keep(bytes.subarray(from));
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
    this.#options.line(line.toString('utf8'), cut);
  }
}
