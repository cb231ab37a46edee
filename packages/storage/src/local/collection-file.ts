import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { StorageError } from '../protocol/storage-error.js';

/** The largest file. A collection is in memory as a whole, and the text of a larger one would not fit in a string. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** Where a collection keeps its lines. */
export interface CollectionLines {
  read(): unknown[];
  append(lines: string[]): void;
  replace(lines: string[]): void;
  close(): void;
}

/** Lines that are in memory only. */
export class MemoryLines implements CollectionLines {
  #lines: string[] = [];

  read(): unknown[] {
    return this.#lines.map(line => JSON.parse(line));
  }

  append(lines: string[]): void {
    this.#lines.push(...lines);
  }

  replace(lines: string[]): void {
    this.#lines = lines;
  }

  close(): void {}
}

/**
 * Lines of JSON in a file that survive a kill at any time. New lines are appended; the file is only replaced by a
 * complete one. A line that was not written to its end is dropped when the file is read.
 */
export class CollectionFile implements CollectionLines {
  #file: number | undefined;
  #bytes = 0;

  constructor(readonly path: string) {}

  /** Returns the values of all lines. @throws {StorageError} naming a line that is not JSON */
  read(): unknown[] {
    if (!existsSync(this.path)) return [];
    this.#checkSize(statSync(this.path).size);
    const lines = readFileSync(this.path, 'utf8').split('\n');
    const last = lines.pop() ?? '';
    const values = lines.map((line, index) => this.#parse(line, index));
    if (last !== '' && isJson(last)) {
      // An editor may have left out the end of the line.
      values.push(JSON.parse(last));
      this.append(['']);
    } else if (last !== '') {
      this.#open();
      this.#truncate(this.#bytes - Buffer.byteLength(last));
    }
    return values.filter(value => value !== undefined);
  }

  /** Appends lines. If this fails, the file is as before. */
  append(lines: string[]): void {
    const file = this.#open();
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    this.#checkSize(this.#bytes + bytes.length);
    try {
      writeAll(file, bytes);
      this.#bytes += bytes.length;
    } catch (error) {
      this.#truncate(this.#bytes);
      throw error;
    }
  }

  /** Replaces all lines. A kill meanwhile leaves the old ones. */
  replace(lines: string[]): void {
    this.close();
    const temporary = `${this.path}.tmp`;
    const file = openSync(temporary, 'w', 0o600);
    try {
      for (const line of lines) writeAll(file, Buffer.from(`${line}\n`));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, this.path);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(): number {
    if (this.#file === undefined) {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      this.#file = openSync(this.path, 'a', 0o600);
      this.#bytes = statSync(this.path).size;
    }
    return this.#file;
  }

  #truncate(bytes: number): void {
    ftruncateSync(this.#open(), bytes);
    this.#bytes = bytes;
  }

  #parse(line: string, index: number): unknown {
    if (line.trim() === '') return undefined;
    try {
      return JSON.parse(line);
    } catch {
      throw new StorageError(
        'storage_unavailable',
        `Line ${index + 1} of ${this.path} is not JSON. Repair or delete the line.`,
      );
    }
  }

  #checkSize(bytes: number): void {
    if (bytes <= MAX_FILE_BYTES) return;
    throw new StorageError(
      'storage_full',
      `${this.path} would be ${bytes} bytes; a local file holds at most ${MAX_FILE_BYTES}. Run the skript on the platform, or delete the file.`,
    );
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
