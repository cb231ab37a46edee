import { appendFile, type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../process/remove-folder.js';

/** The files of one run: `echoes.csv` with a row for each echo, and the journal of the chunks into which they are divided. */
export class RunFolder {
  readonly path: string;
  /** Whether there may be a folder. */
  #exists: boolean;
  /**
   * The file of echoes, open from the first write to the end of the run. Opening it for each write would need three jobs
   * of Node's threads instead of one.
   */
  #echoes: FileHandle | undefined;

  /** @param exists whether an earlier start of the worker may have left a folder */
  constructor(path: string, exists: boolean) {
    this.path = path;
    this.#exists = exists;
  }

  /** @throws Error when the write fails; the other methods that write do so too */
  async appendRows(csv: Buffer): Promise<void> {
    await this.#create();
    this.#echoes ??= await open(this.#file('echoes.csv'), 'a', 0o600);
    await this.#echoes.appendFile(csv);
  }

  async appendJournal(lines: string): Promise<void> {
    await this.#create();
    await appendFile(this.#file('journal.jsonl'), lines, { mode: 0o600 });
  }

  async readRows(start: number, end: number): Promise<Buffer> {
    const file = await open(this.#file('echoes.csv'));
    try {
      const buffer = Buffer.alloc(end - start);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  /** Reads both files. A file that does not exist is empty. */
  async readAll(): Promise<{ csv: Buffer; journal: string }> {
    return { csv: await this.#bytes('echoes.csv'), journal: (await this.#bytes('journal.jsonl')).toString() };
  }

  async close(): Promise<void> {
    await this.#echoes?.close();
    this.#echoes = undefined;
  }

  async remove(): Promise<void> {
    await this.close();
    if (this.#exists) await removeFolder(this.path);
  }

  async #create(): Promise<void> {
    if (!this.#exists) await mkdir(this.path, { recursive: true, mode: 0o700 });
    this.#exists = true;
  }

  #bytes(name: string): Promise<Buffer> {
    return readFile(this.#file(name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
  }

  #file(name: string): string {
    return join(this.path, name);
  }
}
