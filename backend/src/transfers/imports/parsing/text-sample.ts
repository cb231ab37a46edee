import { isUtf8 } from 'node:buffer';

const SAMPLE_BYTES = 16 * 1024;
/** Detectors also compare the letters around a word. */
const MIN_PIECE_BYTES = 32;
/** Longer pieces are left out, because a part of one may end with half a character. */
const MAX_PIECE_BYTES = 4_096;
/** For each byte beyond ASCII, the sample has at least so many of the pieces with it. */
const PIECES_WITH_BYTE = 8;
/** In all encodings but UTF-16, a smaller byte is a character of its own, such as a space, a quote, a comma or a line end. */
const SMALLEST_OF_TWO = 0x30;

/**
 * Takes a sample of a text in an unknown encoding: short pieces with bytes beyond ASCII, which begin and end with whole characters.
 * It has pieces with each of these bytes from anywhere in the text, because a single name can tell two encodings apart in
 * which everything before it is the same.
 */
export class TextSample {
  /** Number of pieces with bytes beyond ASCII that are UTF-8, and of those that are not. */
  readonly utf8 = { valid: 0, wrong: 0 };
  readonly #parts: Buffer[] = [];
  #sampled = 0;
  /** Number of sampled pieces with each byte. */
  readonly #withByte = new Uint16Array(256);
  /** The piece that has begun, up to its limit. */
  readonly #begun = Buffer.alloc(MAX_PIECE_BYTES);
  #length = 0;
  #isAscii = true;

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  write(chunk: Buffer): void {
    const begun = this.#begun;
    let [length, isAscii] = [this.#length, this.#isAscii];
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (length < MAX_PIECE_BYTES) begun[length] = byte;
      length += 1;
      if (byte >= 0x80) isAscii = false;
      else if (byte < SMALLEST_OF_TWO && length >= MIN_PIECE_BYTES) {
        if (!isAscii) this.#add(length);
        length = 0;
        isAscii = true;
      }
    }
    this.#length = length;
    this.#isAscii = isAscii;
  }

  /** Ends the last piece. */
  end(): void {
    if (!this.#isAscii) this.#add(this.#length);
    this.#length = 0;
    this.#isAscii = true;
  }

  #add(length: number): void {
    if (length > MAX_PIECE_BYTES) return;
    const piece = this.#begun.subarray(0, length);
    this.utf8[isUtf8(piece) ? 'valid' : 'wrong'] += 1;
    if (this.#sampled + length > SAMPLE_BYTES || !this.#hasNews(piece)) return;
    for (const byte of new Set(piece)) this.#withByte[byte] = (this.#withByte[byte] ?? 0) + 1;
    this.#parts.push(Buffer.from(piece));
    this.#sampled += length;
  }

  /** Tells whether a piece has a byte beyond ASCII that few sampled pieces have. */
  #hasNews(piece: Buffer): boolean {
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (byte >= 0x80 && (this.#withByte[byte] ?? 0) < PIECES_WITH_BYTE) return true;
    }
    return false;
  }
}
