import type { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { LIMITS } from '@trawl/contracts';
import { cutText } from '../protocol/cut-text.js';
import { builtin } from './node/builtin.js';

/**
 * Replaces the stream stdout or stderr. Each line that is written becomes an echo, and the order of all echoes of the
 * skript is kept.
 */
export class OutputLines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #line: (text: string) => void;
  /**
   * The beginning of the current line, up to the maximum length of an echo. `#chars` is the full length of the line.
   */
  #text = '';
  #chars = 0;
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
    const [piece = '', ...others] = this.#decoder.write(bytes).split('\n');
    this.#add(piece);
    for (const other of others) {
      this.#end();
      this.#add(other);
    }
  }

  #add(piece: string): void {
    this.#text += piece.slice(0, LIMITS.echoMsgChars - this.#text.length);
    this.#chars += piece.length;
  }

  /**
   * Emits the current line as a single echo, even if it is very long. If the line were split, the worker could not
   * recognise a secret that is in two parts of it.
   */
  #end(): void {
    const text = cutText(this.#text, LIMITS.echoMsgChars, this.#chars);
    this.#text = '';
    this.#chars = 0;
    this.#line(text.endsWith('\r') ? text.slice(0, -1) : text);
  }

  /** Emits the last line if it has no line break at its end. */
  finish(): void {
    if (this.#chars > 0) this.#end();
  }
}
