import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Lines longer than this are handed on in pieces, so that output without line ends fills no memory. */
const MAX_LINE_CHARS = 100_000;

/** Stands in for stdout or stderr: each line that is written becomes an echo, in order with the skript's other echoes. */
export class OutputLines extends Writable {
  readonly #decoder = new StringDecoder('utf8');
  readonly #line: (text: string) => void;
  #rest = '';

  constructor(line: (text: string) => void) {
    super({ decodeStrings: true });
    this.#line = line;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const lines = (this.#rest + this.#decoder.write(bytes)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line.endsWith('\r') ? line.slice(0, -1) : line);
    while (this.#rest.length > MAX_LINE_CHARS) {
      this.#line(this.#rest.slice(0, MAX_LINE_CHARS));
      this.#rest = this.#rest.slice(MAX_LINE_CHARS);
    }
    done();
  }

  /** Hands on a last line that was not ended. */
  finish(): void {
    if (this.#rest) this.#line(this.#rest);
    this.#rest = '';
  }
}
