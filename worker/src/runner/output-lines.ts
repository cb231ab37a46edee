import type { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { LIMITS } from '@trawl/contracts';
import { builtin } from '../builtin.js';
import { cutText } from '../cut-text.js';

/** Stands in for stdout or stderr: each line that is written becomes an echo, in order with the skript's other echoes. */
export class OutputLines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #line: (text: string) => void;
  /** Of the line that is being written: its beginning, as much as an echo may have, and how long it is in all. */
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

  /** One line is one echo, however long it is: in two, each half of a secret's value would be none that the worker knows. */
  #end(): void {
    const text = cutText(this.#text, LIMITS.echoMsgChars, this.#chars);
    this.#text = '';
    this.#chars = 0;
    this.#line(text.endsWith('\r') ? text.slice(0, -1) : text);
  }

  /** Hands on a last line that was not ended. */
  finish(): void {
    if (this.#chars > 0) this.#end();
  }
}
