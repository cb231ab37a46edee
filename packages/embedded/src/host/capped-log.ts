import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

const DEFAULT_MAX_BYTES = 5 * 1024 * 1024;

/**
 * A log file that cannot fill the disk. When it has `maxBytes`, it is renamed to `<path>.1`, which replaces the older
 * file of that name, and a new log file begins. Writes are synchronous, so that the log keeps the last lines of a dying
 * child.
 */
export class CappedLog {
  #fd: number;
  #size: number;

  constructor(
    readonly path: string,
    readonly maxBytes = DEFAULT_MAX_BYTES,
  ) {
    this.#fd = openSync(path, 'a', 0o600);
    this.#size = fstatSync(this.#fd).size;
  }

  write(chunk: Uint8Array | string): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (this.#size > 0 && this.#size + bytes.length > this.maxBytes) this.#rotate();
    writeSync(this.#fd, bytes);
    this.#size += bytes.length;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #rotate(): void {
    closeSync(this.#fd);
    renameSync(this.path, `${this.path}.1`);
    this.#fd = openSync(this.path, 'a', 0o600);
    this.#size = 0;
  }
}
