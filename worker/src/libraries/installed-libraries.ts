import { randomUUID } from 'node:crypto';
import { chmod, lchown, lstat, mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../process/remove-folder.js';

const HASH = /^[0-9a-f]{64}$/;
/**
 * Name of a file in the folder of each lock. It contains the lock's size in bytes, and its modification time is the
 * time when the lock was last used.
 */
const SIZE_FILE = 'bytes';

interface Installed {
  bytes: number;
  usedAt: number;
  users: number;
}

/**
 * The npm libraries that are installed on the worker's disk. Each lock has a folder that is named by the lock's hash.
 * When space is needed, the locks that were not used for the longest time are removed.
 */
export class InstalledLibraries {
  readonly #folder: string;
  readonly #working: string;
  readonly #locks: Map<string, Installed>;

  private constructor(folder: string, working: string, locks: Map<string, Installed>) {
    this.#folder = folder;
    this.#working = working;
    this.#locks = locks;
  }

  /**
   * @param folder contains a folder for each installed lock. Runs can read a lock whose hash they know, but they cannot
   *   list this folder.
   * @param working contains the locks that are being installed or removed. It is emptied now, because a worker that was
   *   killed may have left something.
   */
  static async open(folder: string, working: string): Promise<InstalledLibraries> {
    await removeFolder(working);
    // The user of the installer must be able to pass through these folders to its own folder.
    for (const path of [folder, working]) {
      await mkdir(path, { recursive: true });
      await chmod(path, 0o711);
    }
    const locks = new Map<string, Installed>();
    for (const hash of await readdir(folder)) {
      if (!HASH.test(hash)) continue;
      const sizeFile = join(folder, hash, SIZE_FILE);
      const bytes = Number(await readFile(sizeFile, 'utf8'));
      locks.set(hash, { bytes, usedAt: (await stat(sizeFile)).mtimeMs, users: 0 });
    }
    return new InstalledLibraries(folder, working, locks);
  }

  has(hash: string): boolean {
    return this.#locks.has(hash);
  }

  /** Creates a folder for one installation. Pass it to `keep` or `drop` afterwards. */
  async begin(): Promise<string> {
    const folder = join(this.#working, randomUUID());
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  /** Makes a finished installation read-only and available to runs. */
  async keep(hash: string, folder: string, bytes: number): Promise<void> {
    await readOnly(folder);
    await writeFile(join(folder, SIZE_FILE), String(bytes), { mode: 0o600 });
    await rename(folder, join(this.#folder, hash));
    this.#locks.set(hash, { bytes, usedAt: Date.now(), users: 0 });
  }

  async drop(folder: string): Promise<void> {
    await removeFolder(folder);
  }

  /** Marks a lock as used, so that it is not removed until the returned function is called. */
  use(hash: string): () => void {
    const lock = this.#locks.get(hash) as Installed;
    lock.users += 1;
    lock.usedAt = Date.now();
    void utimes(join(this.#folder, hash, SIZE_FILE), new Date(), new Date()).catch(() => {});
    return () => {
      lock.users -= 1;
    };
  }

  /**
   * Removes unused locks until all locks together have at most this many bytes. The locks that were not used for the
   * longest time are removed first.
   *
   * @returns false if the locks that are in use have more bytes than that
   */
  async shrink(toBytes: number): Promise<boolean> {
    const unused = [...this.#locks].filter(([, { users }]) => users === 0).sort(([, a], [, b]) => a.usedAt - b.usedAt);
    for (const [hash] of unused) {
      if (this.#bytes <= toBytes) return true;
      this.#locks.delete(hash);
      const gone = join(this.#working, randomUUID());
      // Move the folder away before it is removed, so that an interrupted removal does not leave an incomplete lock.
      await rename(join(this.#folder, hash), gone);
      await removeFolder(gone);
    }
    return this.#bytes <= toBytes;
  }

  get #bytes(): number {
    return [...this.#locks.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

/**
 * Makes this process's user the owner of all files in a folder, if that user is root. All users may read the files from
 * now on, and only the owner may write them. Follows no links.
 */
export async function readOnly(folder: string): Promise<void> {
  const own = async (path: string, mode: number | null) => {
    if (process.getuid?.() === 0) await lchown(path, 0, 0);
    if (mode !== null) await chmod(path, mode);
  };
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) await own(path, null);
    else if (entry.isDirectory()) await own(path, 0o755);
    else await own(path, ((await stat(path)).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
  await own(folder, 0o755);
}

/** Returns how many bytes a folder uses on the disk. Files that disappear in the meantime do not count. */
export async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    // Count the blocks on the disk, because many small files need much more space than the sum of their sizes.
    const size = await lstat(join(entry.parentPath, entry.name)).then(
      ({ blocks, size: apparent }) => (blocks > 0 ? blocks * 512 : apparent),
      () => 0,
    );
    bytes += size;
  }
  return bytes;
}
