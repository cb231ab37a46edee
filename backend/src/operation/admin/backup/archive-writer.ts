import { createHash } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { type Entry, MANIFEST } from './manifest.js';

const PART = '.part';

/**
 * Writes a zip file, one entry after the other, with bounded memory. The file gets its name when it is complete, and only
 * its owner can read it.
 */
export class ArchiveWriter {
  readonly entries: Entry[] = [];
  readonly #zip = new ZipFile();
  readonly #written: Promise<void>;
  readonly #part: string;
  #bytes = 0;

  constructor(readonly path: string) {
    this.#part = path + PART;
    const file = createWriteStream(this.#part, { mode: 0o600, flush: true });
    this.#written = pipeline(this.#zip.outputStream, file);
    // `add` and `finish` report this failure.
    this.#written.catch(() => undefined);
  }

  /** Number of uncompressed bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an entry, and resolves when all of `content` has been read. */
  async add(name: string, content: Readable): Promise<void> {
    const hash = createHash('sha256');
    let bytes = 0;
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        hash.update(chunk);
        bytes += chunk.length;
        this.#bytes += chunk.length;
        done(null, chunk);
      },
    });
    this.#zip.addReadStreamLazy(name, { forceZip64Format: true, mode: 0o100600 }, ready => ready(null, counted));
    await Promise.race([pipeline(content, counted), this.#failure()]);
    this.entries.push({ name, bytes, sha256: hash.digest('hex') });
  }

  /** Adds the manifest and gives the file its name. */
  async finish(manifest: object): Promise<void> {
    this.#zip.addBuffer(Buffer.from(JSON.stringify(manifest, null, 2)), MANIFEST, { mode: 0o100600 });
    this.#zip.end();
    await this.#written;
    await rename(this.#part, this.path);
  }

  /** Removes the unfinished file. */
  async discard(): Promise<void> {
    (this.#zip.outputStream as Readable).destroy();
    await this.#written.catch(() => undefined);
    this.removeFile();
  }

  /** Removes the unfinished file before the process exits. Call `discard` if it continues. */
  removeFile(): void {
    rmSync(this.#part, { force: true });
  }

  /** Rejects if the file cannot be written. */
  async #failure(): Promise<never> {
    await this.#written;
    throw new Error(`The archive ${this.path} ended early.`);
  }
}
