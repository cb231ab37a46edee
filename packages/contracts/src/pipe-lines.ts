/**
 * The format of the pipes between the process of a run and the program that started it. Each line is a JSON object. A
 * line that begins with `{"bytes":N,` is followed by N bytes of data, which belong to it.
 */

const LINE_END = 0x0a;
const WITH_DATA = /^\{"bytes":(\d{1,9}),/;

/** Returns how many bytes of data follow a line. */
export const dataBytesOf = (line: string): number => Number(WITH_DATA.exec(line)?.[1] ?? 0);

/** Returns a message as a line, with its data behind it. */
export function pipeLine(message: object, data?: Uint8Array): Buffer {
  if (!data) return Buffer.from(`${JSON.stringify(message)}\n`);
  return Buffer.concat([Buffer.from(`${JSON.stringify({ bytes: data.byteLength, ...message })}\n`), data]);
}

/**
 * Splits what arrives in a pipe into lines and their data. It keeps all of an unfinished line in memory, so it must
 * only read pipes whose writer is trusted.
 */
export class PipeLines {
  readonly #onLine: (line: string, data: Buffer | null) => void;
  /** Pieces of the unfinished line or data. */
  #parts: Buffer[] = [];
  /** The line whose data is arriving. */
  #line: string | null = null;
  #missingBytes = 0;

  constructor(onLine: (line: string, data: Buffer | null) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    for (let rest = chunk; rest.length > 0; ) rest = this.#line === null ? this.#takeLine(rest) : this.#takeData(rest);
  }

  /** Takes bytes up to the end of the line, and returns those behind it. */
  #takeLine(bytes: Buffer): Buffer {
    const end = bytes.indexOf(LINE_END);
    if (end < 0) return this.#keep(bytes);
    const line = this.#joined(bytes.subarray(0, end)).toString();
    this.#missingBytes = dataBytesOf(line);
    if (this.#missingBytes > 0) this.#line = line;
    else this.#onLine(line, null);
    return bytes.subarray(end + 1);
  }

  #takeData(bytes: Buffer): Buffer {
    if (bytes.length < this.#missingBytes) {
      this.#missingBytes -= bytes.length;
      return this.#keep(bytes);
    }
    const [line, end] = [this.#line ?? '', this.#missingBytes];
    this.#line = null;
    this.#onLine(line, this.#joined(bytes.subarray(0, end)));
    return bytes.subarray(end);
  }

  #keep(bytes: Buffer): Buffer {
    this.#parts.push(bytes);
    return bytes.subarray(bytes.length);
  }

  #joined(last: Buffer): Buffer {
    if (this.#parts.length === 0) return last;
    const joined = Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    return joined;
  }
}
