import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Written } from '@trawl/libraries';
import { LibraryShares, type Lock } from './library-shares.js';

const HASH = /^[0-9a-f]{64}$/;
/**
 * Name of a file in the folder of each lock. It has the lock's size, which the installation has counted, and the
 * accounts that use the lock. So nothing ever scans a folder.
 */
const RECORD_FILE = 'record.json';
/** The file that earlier versions of Trawl wrote instead, with the size in bytes. */
const OLDER_FILE = 'bytes';
/** How often the time of the last use is saved. */
const SAVE_EVERY_MS = 60_000;

export interface LibraryFolders {
  /**
   * Contains a folder for each installed lock. Runs can read a lock whose hash they know, but they cannot list this
   * folder.
   */
  installed: string;
  /** Contains the locks that are being installed. */
  working: string;
  /** Contains what is being removed. */
  removed: string;
}

/** The npm libraries that are installed on the worker's disk. Each lock has a folder that is named by the lock's hash. */
export class InstalledLibraries {
  readonly #folders: LibraryFolders;
  readonly #shares: LibraryShares;
  readonly #remove: (folder: string) => Promise<void>;
  readonly #savedAt = new Map<string, number>();

  private constructor(folders: LibraryFolders, shares: LibraryShares, remove: (folder: string) => Promise<void>) {
    this.#folders = folders;
    this.#shares = shares;
    this.#remove = remove;
  }

  /**
   * @param limits what all locks together may need
   * @param remove removes a folder. What a killed worker has left is removed in the background.
   */
  static async open(
    folders: LibraryFolders,
    limits: Written,
    remove: (folder: string) => Promise<void>,
  ): Promise<InstalledLibraries> {
    const { installed, working, removed } = folders;
    await mkdir(removed, { recursive: true, mode: 0o700 });
    // Usually nothing is left, and then no process is needed to remove it.
    await rmdir(working).catch(() => rename(working, join(removed, randomUUID())).catch(ignoreMissing));
    for (const name of await readdir(removed)) void remove(join(removed, name));
    // The user of the installer must be able to pass through these folders to its own folder.
    for (const path of [installed, working]) {
      await mkdir(path, { recursive: true });
      await chmod(path, 0o711);
    }
    const shares = new LibraryShares(limits);
    const libraries = new InstalledLibraries(folders, shares, remove);
    for (const hash of await readdir(installed)) {
      if (!HASH.test(hash)) continue;
      const lock = await readRecord(join(installed, hash));
      if (lock) shares.add(hash, lock);
      else void libraries.drop(join(installed, hash));
    }
    return libraries;
  }

  has(hash: string): boolean {
    return this.#shares.get(hash) !== undefined;
  }

  /** Creates a folder for one installation. Pass it to `keep` or `drop` afterwards. */
  async begin(): Promise<string> {
    const folder = join(this.#folders.working, randomUUID());
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  /**
   * Makes a finished installation available to runs. Removes other locks if there is not enough space. If another
   * installation of the same lock was faster, such as one that was aborted too late, runs use that one.
   *
   * @returns who uses the space if there is none: locks that live runs of this account use, or of others; null if the
   *   lock was kept
   */
  async keep(hash: string, folder: string, written: Written, account: string): Promise<'account' | 'others' | null> {
    const lock = { ...written, accounts: new Map([[account, Date.now()]]) };
    await writeRecord(folder, lock);
    if (this.has(hash)) {
      await this.drop(folder);
      return null;
    }
    const { removed, full } = this.#shares.makeRoom(account, written);
    // Synchronous calls move the folders, so that another `keep` never finds a folder whose lock `#shares` does not have.
    const gone = removed.map(other => this.#moveAway(join(this.#folders.installed, other)));
    if (!full) {
      renameSync(folder, join(this.#folders.installed, hash));
      this.#shares.add(hash, lock);
      this.#savedAt.set(hash, performance.now());
    }
    for (const path of gone) await this.#remove(path);
    return full;
  }

  /** Removes a folder. It is moved away first, so that an interrupted removal does not leave an incomplete lock. */
  async drop(folder: string): Promise<void> {
    await this.#remove(this.#moveAway(folder));
  }

  #moveAway(folder: string): string {
    const gone = join(this.#folders.removed, randomUUID());
    renameSync(folder, gone);
    return gone;
  }

  /** Marks a lock as used by a run of an account, so that it is not removed until the returned function is called. */
  use(hash: string, account: string): () => void {
    const isNew = !this.#shares.get(hash)?.accounts.has(account);
    const release = this.#shares.use(hash, account);
    const now = performance.now();
    if (isNew || now - (this.#savedAt.get(hash) ?? Number.NEGATIVE_INFINITY) > SAVE_EVERY_MS) {
      this.#savedAt.set(hash, now);
      const lock = this.#shares.get(hash);
      // Only the choice of the locks to remove depends on it, after a restart.
      if (lock) void writeRecord(join(this.#folders.installed, hash), lock).catch(() => {});
    }
    return release;
  }
}

async function readRecord(folder: string): Promise<Lock | null> {
  try {
    const { bytes, entries, accounts } = JSON.parse(await readFile(join(folder, RECORD_FILE), 'utf8'));
    return { bytes: Number(bytes), entries: Number(entries), accounts: new Map(Object.entries(accounts)) };
  } catch {
    const bytes = Number(await readFile(join(folder, OLDER_FILE), 'utf8').catch(() => Number.NaN));
    // An earlier version did not count files. Most are smaller than 16 KB.
    return Number.isNaN(bytes) ? null : { bytes, entries: Math.ceil(bytes / 16_384), accounts: new Map() };
  }
}

async function writeRecord(folder: string, { bytes, entries, accounts }: Lock): Promise<void> {
  const file = join(folder, RECORD_FILE);
  const next = `${file}-${randomUUID()}`;
  await writeFile(next, JSON.stringify({ bytes, entries, accounts: Object.fromEntries(accounts) }), { mode: 0o600 });
  await rename(next, file);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
