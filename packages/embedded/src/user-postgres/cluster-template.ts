import { pbkdf2Sync } from 'node:crypto';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { initDatabase } from '../postgres/init-database.js';
import { copyFolder, syncFolder } from '../system/folders.js';
import type { ClusterOptions } from './cluster-options.js';

/** Small segments, because each server keeps at least two. */
const INITDB_ARGUMENTS = ['--wal-segsize=4'];
const PREFIX = 'template-';
const SPARE = '.spare';
/** Folders that are being made have this ending. */
export const NEW = '.new';

/**
 * The folder of a new server, and one copy of it that the next account gets at once. The following copy is made after
 * that, because `initdb` and the disk take seconds on a busy machine. All servers have the same system identifier, which
 * matters to replication only.
 */
export class ClusterTemplate {
  readonly #folder: string;
  readonly #spare: string;
  /** Work on these folders happens one after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly options: ClusterOptions) {
    this.#folder = join(options.root, nameOf(options));
    this.#spare = this.#folder + SPARE;
  }

  /** Makes what the next account needs, so that it does not wait. */
  prepare(): Promise<void> {
    return this.#inTurn(() => this.#make());
  }

  /** Gives the copy this name, which it has only when it is complete. */
  async moveTo(folder: string): Promise<void> {
    await this.#inTurn(async () => {
      await this.#make();
      renameSync(this.#spare, folder);
    });
  }

  /** Resolves when nothing is being made. */
  ended(): Promise<void> {
    return this.#last;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #make(): Promise<void> {
    if (existsSync(this.#spare)) return;
    const { binDir, user, password, durable } = this.options;
    if (!existsSync(this.#folder)) {
      await this.#removeOthers();
      await initDatabase({ folder: this.#folder, binDir, user, password, durable, more: INITDB_ARGUMENTS });
    }
    await rm(this.#spare + NEW, { recursive: true, force: true });
    await copyFolder(this.#folder, this.#spare + NEW, user);
    if (durable) await syncFolder(this.#spare + NEW);
    renameSync(this.#spare + NEW, this.#spare);
  }

  /** Deletes the templates of other versions and passwords. */
  async #removeOthers(): Promise<void> {
    const { root } = this.options;
    const others = readdirSync(root).filter(name => name.startsWith(PREFIX));
    // A killed Trawl may have left an `initdb` that still writes for a moment.
    await Promise.all(others.map(name => rm(join(root, name), { recursive: true, maxRetries: 10 })));
  }
}

/**
 * Returns a name that changes with the version and the password. It is as hard to guess the password from it as from
 * what PostgreSQL keeps in the folder.
 */
function nameOf({ version, password }: ClusterOptions): string {
  const salt = ['trawl', version, ...INITDB_ARGUMENTS].join(' ');
  return PREFIX + pbkdf2Sync(password, salt, 4_096, 8, 'sha256').toString('hex');
}
