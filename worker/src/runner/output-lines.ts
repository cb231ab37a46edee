import type { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { builtin } from '../builtin.js';

/** Lines longer than this are handed on in pieces, so that output without line ends fills no memory. */
const MAX_LINE_CHARS = 100_000;

/** Stands in for stdout or stderr: each line that is written becomes an echo, in order with the skript's other echoes. */
export class OutputLines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #line: (text: string) => void;
  #rest = '';
  #stream: Writable | undefined;

  constructor(line: (text: string) => void) {
    this.#line = line;
  }

  get stream(): Writable {
    this.#stream ??= new (builtin('node:stream').Writable)({
      decodeStrings: true,
      write: (bytes, _encoding, done) => {
        this.#write(bytes);
        done();
      },
    });
    return this.#stream;
  }

  #write(bytes: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(bytes)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line.endsWith('\r') ? line.slice(0, -1) : line);
    while (this.#rest.length > MAX_LINE_CHARS) {
      this.#line(this.#rest.slice(0, MAX_LINE_CHARS));
      this.#rest = this.#rest.slice(MAX_LINE_CHARS);
    }
  }

  /** Hands on a last line that was not ended. */
  finish(): void {
    if (this.#rest) this.#line(this.#rest);
    this.#rest = '';
  }
}
