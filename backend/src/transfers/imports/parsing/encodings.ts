import { isUtf8 } from 'node:buffer';
import { detectAll } from 'jschardet';
import { plausibility } from './plausibility.js';
import { TextSample } from './text-sample.js';
import { UnreadableFile } from './unreadable.js';

/** The encodings of the WHATWG that Node can read, without second names of the same one. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'iso-8859-2',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-10',
  'iso-8859-13',
  'iso-8859-14',
  'iso-8859-15',
  'ibm866',
  'koi8-r',
  'koi8-u',
  'macintosh',
  'x-mac-cyrillic',
  'gb18030',
  'big5',
  'euc-jp',
  'iso-2022-jp',
  'shift_jis',
  'euc-kr',
] as const;
export type Encoding = (typeof ENCODINGS)[number];

const BYTE_ORDER_MARKS: [Encoding, number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
const SAMPLE_BYTES = 4_096;
/** A file in UTF-8 may have a few wrong bytes. A piece of text in another encoding is hardly ever valid UTF-8. */
const VALID_PER_WRONG_PIECE = 4;
/** In Latin text as UTF-16, one byte of each pair is zero. Other encodings have hardly any zero bytes. */
const ZEROS_OF_UTF16 = 0.3;

/** Finds out the encoding of a file from all of its bytes, as they arrive. */
export class EncodingDetector {
  #sample = Buffer.alloc(0);
  readonly #text = new TextSample();
  readonly #utf8 = new Utf8Check();
  #isUtf8 = true;

  write(chunk: Buffer): void {
    this.#text.write(chunk);
    if (this.#sample.length < SAMPLE_BYTES) {
      this.#sample = Buffer.concat([this.#sample, chunk.subarray(0, SAMPLE_BYTES - this.#sample.length)]);
    }
    this.#isUtf8 &&= this.#utf8.write(chunk);
  }

  /**
   * Returns the likeliest encoding for bytes that are no Unicode: they do not say for sure.
   * @param isCut whether the file goes on, so that the last character may be incomplete.
   */
  end(isCut = false): Encoding {
    const marked = BYTE_ORDER_MARKS.find(([, mark]) => beginsWith(this.#sample, mark));
    if (marked) return marked[0];
    const pairs = Math.floor(this.#sample.length / 2);
    const zeros = [0, 0];
    this.#sample.forEach((byte, at) => {
      if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
    });
    const [first = 0, second = 0] = zeros.map(count => count / Math.max(pairs, 1));
    if (second > ZEROS_OF_UTF16 && first < second / 2) return 'utf-16le';
    if (first > ZEROS_OF_UTF16 && second < first / 2) return 'utf-16be';
    if (this.#isUtf8 && (isCut || this.#utf8.end())) return 'utf-8';
    if (!isCut) this.#text.end();
    const { valid, wrong } = this.#text.utf8;
    return valid > VALID_PER_WRONG_PIECE * wrong ? 'utf-8' : likeliest(this.#text.bytes);
  }
}

/** Detects the encoding of a text by its first `most` bytes. */
export async function encodingOf(chunks: AsyncIterable<Buffer>, most: number): Promise<Encoding> {
  const detector = new EncodingDetector();
  let left = most;
  for await (const chunk of chunks) {
    detector.write(chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) return detector.end(true);
  }
  return detector.end();
}

/** The encodings that files of spreadsheets and databases have, by the names that `jschardet` gives them. */
const LIKELY: Record<string, Encoding> = {
  'windows-1250': 'windows-1250',
  'windows-1251': 'windows-1251',
  'windows-1252': 'windows-1252',
  'windows-1253': 'windows-1253',
  'windows-1254': 'windows-1254',
  'windows-1255': 'windows-1255',
  'iso-8859-8': 'windows-1255',
  'windows-1256': 'windows-1256',
  'windows-1257': 'windows-1257',
  'iso-8859-2': 'iso-8859-2',
  'koi8-r': 'koi8-r',
  'koi8-u': 'koi8-u',
  cp932: 'shift_jis',
  shift_jis: 'shift_jis',
  'euc-jp': 'euc-jp',
  gb18030: 'gb18030',
  big5: 'big5',
  cp949: 'euc-kr',
  'euc-kr': 'euc-kr',
};
/** Encodings that fit a text nearly equally well. */
const EQUAL = 0.05;
/** Western text, the most common, wins if it is nearly as likely as another one. */
const WESTERN_SHARE = 0.8;

/** Takes an encoding in which the text looks like a language. Of several, the one whose letters follow each other as usual. */
function likeliest(letters: Buffer): Encoding {
  const confidences = new Map<Encoding, number>();
  for (const { encoding, confidence } of detectAll(letters)) {
    const known = LIKELY[encoding?.toLowerCase() ?? ''];
    if (known && !confidences.has(known)) confidences.set(known, confidence);
  }
  const read = (encoding: Encoding) =>
    encoding === 'windows-1252' ? fromWindows1252(letters) : new TextDecoder(encoding).decode(letters);
  const found = [...new Set(Object.values(LIKELY))].map(encoding => ({
    encoding,
    plausible: plausibility(read(encoding), encoding),
    confidence: confidences.get(encoding) ?? 0,
  }));
  const most = Math.max(...found.map(({ plausible }) => plausible));
  const near = found.filter(({ plausible }) => plausible >= most - EQUAL);
  const [best] = near.toSorted((one, other) => other.confidence - one.confidence);
  const western = near.find(({ encoding }) => encoding === 'windows-1252');
  if (!best) return 'windows-1252';
  const isWestern =
    western && (western.confidence >= best.confidence * WESTERN_SHARE || read('windows-1252') === read(best.encoding));
  return isWestern ? 'windows-1252' : best.encoding;
}

/**
 * Converts a file to UTF-8 without a byte order mark.
 * @throws {ApiError} 400 naming the place of bytes that are not valid in the encoding.
 */
export async function* toUtf8(chunks: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  const convert = converter(encoding);
  let offset = 0;
  let isStart = true;
  for await (const chunk of chunks) {
    const converted = convert(chunk, offset);
    const bytes = isStart ? withoutMark(converted) : converted;
    isStart &&= converted.length === 0;
    offset += chunk.length;
    if (bytes.length > 0) yield bytes;
  }
  const rest = convert(undefined, offset);
  if (rest.length > 0) yield rest;
}

/** Converts a chunk; without a chunk, ends the file. */
type Convert = (chunk: Buffer | undefined, offset: number) => Buffer;

function converter(encoding: Encoding): Convert {
  if (encoding === 'windows-1252') return (chunk = Buffer.alloc(0)) => Buffer.from(fromWindows1252(chunk));
  if (encoding === 'utf-8') return checkedUtf8();
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  return (chunk, offset) => {
    try {
      return Buffer.from(decoder.decode(chunk, { stream: chunk !== undefined }));
    } catch {
      throw notIn(encoding, offset);
    }
  };
}

function checkedUtf8(): Convert {
  const check = new Utf8Check();
  // The beginning of a character is kept for the next chunk, so that a chunk can be read on its own.
  return (chunk, offset) => {
    if (!(chunk ? check.write(chunk) : check.end())) throw notIn('utf-8', offset);
    return chunk ? check.whole : Buffer.alloc(0);
  };
}

/** Checks whether bytes that arrive in chunks are UTF-8. */
class Utf8Check {
  /** The last chunk, from the beginning of its first character to the end of its last whole one. */
  whole: Buffer = Buffer.alloc(0);
  #begun: Buffer = Buffer.alloc(0);

  write(chunk: Buffer): boolean {
    const bytes = this.#begun.length > 0 ? Buffer.concat([this.#begun, chunk]) : chunk;
    const end = bytes.length - begunBytes(bytes);
    this.#begun = Buffer.from(bytes.subarray(end));
    this.whole = bytes.subarray(0, end);
    return isUtf8(this.whole);
  }

  end(): boolean {
    return this.#begun.length === 0;
  }
}

/** Returns how many bytes at the end belong to a character that is not complete. */
function begunBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** The characters of the bytes 0x80 to 0x9f, in which windows-1252 differs from ISO 8859-1. */
const OF_WINDOWS = [...'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'];

/** Does not use `TextDecoder`, because some releases of Node read windows-1252 as ISO 8859-1. */
const fromWindows1252 = (chunk: Buffer): string =>
  chunk.toString('latin1').replace(/[\u0080-\u009f]/g, character => OF_WINDOWS[character.charCodeAt(0) - 0x80] ?? '');

const UTF8_MARK = [0xef, 0xbb, 0xbf];
const withoutMark = (bytes: Buffer): Buffer => (beginsWith(bytes, UTF8_MARK) ? bytes.subarray(3) : bytes);

const beginsWith = (bytes: Buffer, mark: number[]): boolean => mark.every((byte, at) => bytes[at] === byte);

const notIn = (encoding: Encoding, offset: number) =>
  new UnreadableFile(
    `The file has bytes that are not ${encoding}, in or after byte ${offset}. Choose another \`encoding\`.`,
  );
