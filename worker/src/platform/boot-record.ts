import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';

const bootId = z.uuid();

/**
 * Remembers in the worker's folder which boot the platform welcomed last. The next boot names it in its `hello`, so that
 * it gets the lease at once. The folder must be locked, which proves that the remembered boot has ended.
 */
export class BootRecord {
  readonly #file: string;
  readonly #log: Logger;
  /** The boot before this one; null if there was none. */
  readonly previous: string | null;
  #saved: string | null;

  constructor(folder: string, log: Logger) {
    this.#file = join(folder, 'boot');
    this.#log = log;
    this.previous = this.#read();
    this.#saved = this.previous;
  }

  /** Call when the platform has welcomed this boot. */
  save(id: string): void {
    if (id === this.#saved) return;
    try {
      writeFileSync(this.#file, id, { mode: 0o600 });
      this.#saved = id;
    } catch (error) {
      // The next boot then waits until the platform has noticed the end of this one.
      this.#log.warn({ reason: String(error) }, 'failed to save the boot id');
    }
  }

  #read(): string | null {
    try {
      return bootId.safeParse(readFileSync(this.#file, 'utf8')).data ?? null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }
}
