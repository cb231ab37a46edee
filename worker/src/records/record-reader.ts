import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type ExchangeHead, exchangeHeadSchema, RECORD_HEAD, RECORD_LIMITS, RecordRefused } from './record-format.js';

const PIECE_BYTES = 64 * 1024;
const LINE_END = 0x0a;
const unpack = promisify(gunzip);

/** The head of an exchange, and the place of its bytes in the file. */
export interface FoundExchange {
  head: ExchangeHead;
  /** Where the head begins. */
  start: number;
  /** Where the packed body begins. */
  at: number;
}

/** Reads a record. It trusts nothing in the file, and keeps one exchange in memory at a time. */
export class RecordReader {
  /** The bytes that were read last, because most heads are near the one before. */
  #piece = { at: 0, bytes: Buffer.alloc(0) };

  private constructor(
    private readonly file: FileHandle,
    private readonly bytes: number,
  ) {}

  /** @throws RecordRefused if the file is too large, or is no record */
  static async open(path: string): Promise<RecordReader> {
    // To open a named pipe would wait for its writer.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw new RecordRefused('This is no record of a run: it must be a file.');
      const { size } = stats;
      if (size > RECORD_LIMITS.recordBytes) {
        throw new RecordRefused(`A record may have ${RECORD_LIMITS.recordBytes} bytes; this one has ${size}.`);
      }
      const head = Buffer.alloc(RECORD_HEAD.length);
      await file.read(head, 0, head.length, 0);
      if (head.toString() !== RECORD_HEAD) {
        throw new RecordRefused(`This is no record of a run: it must begin with the line ${RECORD_HEAD.trim()}.`);
      }
      return new RecordReader(file, size);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * Yields all exchanges in the order of recording.
   *
   * @throws RecordRefused that names the first exchange that is wrong
   */
  async *exchanges(): AsyncGenerator<FoundExchange> {
    let number = 0;
    for (let start = RECORD_HEAD.length; start < this.bytes; ) {
      number += 1;
      const found = await this.#exchangeAt(start, number);
      yield found;
      start = found.at + found.head.packed + 1;
    }
  }

  /** Reads the head of an exchange again. */
  async head(start: number): Promise<FoundExchange> {
    return this.#exchangeAt(start, 0);
  }

  /** @throws RecordRefused if the body is not what its head says */
  async body({ head: { packed, body, url }, at }: FoundExchange): Promise<Buffer> {
    const bytes = Buffer.alloc(packed);
    await this.file.read(bytes, 0, packed, at);
    if (packed === body) return bytes;
    const unpacked = await unpack(bytes, { maxOutputLength: body }).catch(() => null);
    if (unpacked?.length === body) return unpacked;
    throw new RecordRefused(`The body of ${url} in the record is damaged: its head says that it has ${body} bytes.`);
  }

  close(): Promise<void> {
    return this.file.close();
  }

  async #exchangeAt(start: number, number: number): Promise<FoundExchange> {
    const refuse = (problem: string) => new RecordRefused(`Exchange ${number} of the record is wrong: ${problem}.`);
    if (number > RECORD_LIMITS.exchanges) throw refuse(`a record may have ${RECORD_LIMITS.exchanges} exchanges`);
    const line = await this.#line(start);
    if (line === null) throw refuse(`its head has no end, or more than ${RECORD_LIMITS.headBytes} bytes`);
    let json: unknown;
    try {
      json = JSON.parse(line.toString());
    } catch {
      throw refuse('its head is not JSON');
    }
    const { data: head, error } = exchangeHeadSchema.safeParse(json);
    if (!head) {
      const [issue] = error.issues;
      throw refuse(`\`${issue?.path.join('.')}\`: ${issue?.message}`);
    }
    const at = start + line.length + 1;
    if (at + head.packed + 1 > this.bytes) throw refuse(`it ends before its ${head.packed} bytes`);
    return { head, start, at };
  }

  async #line(start: number): Promise<Buffer | null> {
    const pieces: Buffer[] = [];
    for (let length = 0; length < RECORD_LIMITS.headBytes; ) {
      const piece = await this.#bytesFrom(start + length);
      const end = piece.indexOf(LINE_END);
      if (end >= 0) return Buffer.concat([...pieces, piece.subarray(0, end)]);
      if (piece.length === 0) return null;
      pieces.push(piece);
      length += piece.length;
    }
    return null;
  }

  /** Returns some of the bytes that begin there; none at the end of the file. */
  async #bytesFrom(at: number): Promise<Buffer> {
    const { at: begin, bytes } = this.#piece;
    if (at >= begin && at < begin + bytes.length) return bytes.subarray(at - begin);
    const piece = Buffer.alloc(PIECE_BYTES);
    const { bytesRead } = await this.file.read(piece, 0, piece.length, at);
    this.#piece = { at, bytes: piece.subarray(0, bytesRead) };
    return this.#piece.bytes;
  }
}
