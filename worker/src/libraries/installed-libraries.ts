import { randomUUID } from 'node:crypto';
import { chmod, lchown, lstat, mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../remove-folder.js';

const HASH = /^[0-9a-f]{64}$/;
/** In the folder of a lock: its size. When it was last changed is when the lock was last used. */
const MARK = 'bytes';

interface Installed {
  bytes: number;
  usedAt: number;
  users: number;
}

/** The installed locks on the disk, each in a folder of its name, and who uses them. Those longest unused go when room is needed. */
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
   * @param folder holds the locks: runs may read what they know the name of, and see no list.
   * @param working what is being installed or removed; emptied now, because an earlier worker may have been killed.
   */
  static async open(folder: string, working: string): Promise<InstalledLibraries> {
    await removeFolder(working);
    // Whoever installs must pass through, to a folder of its own.
    for (const path of [folder, working]) {
      await mkdir(path, { recursive: true });
      await chmod(path, 0o711);
    }
    const locks = new Map<string, Installed>();
    for (const hash of await readdir(folder)) {
      if (!HASH.test(hash)) continue;
      const mark = join(folder, hash, MARK);
      const bytes = Number(await readFile(mark, 'utf8'));
      locks.set(hash, { bytes, usedAt: (await stat(mark)).mtimeMs, users: 0 });
    }
    return new InstalledLibraries(folder, working, locks);
  }

  has(hash: string): boolean {
    return this.#locks.has(hash);
  }

  /** A folder of its own for one installation, which `keep` or `drop` ends. */
  async begin(): Promise<string> {
    const folder = join(this.#working, randomUUID());
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  /** Takes over what was installed, so that runs read it and nobody writes to it. */
  async keep(hash: string, folder: string, bytes: number): Promise<void> {
    await readOnly(folder);
    await writeFile(join(folder, MARK), String(bytes), { mode: 0o600 });
    await rename(folder, join(this.#folder, hash));
    this.#locks.set(hash, { bytes, usedAt: Date.now(), users: 0 });
  }

  async drop(folder: string): Promise<void> {
    await removeFolder(folder);
  }

  /** The lock stays until what this gives is called. */
  use(hash: string): () => void {
    const lock = this.#locks.get(hash) as Installed;
    lock.users += 1;
    lock.usedAt = Date.now();
    void utimes(join(this.#folder, hash, MARK), new Date(), new Date()).catch(() => {});
    return () => {
      lock.users -= 1;
    };
  }

  /**
   * Removes locks that no run uses, the longest unused first, until all have at most so many bytes.
   * @returns false when those in use are more.
   */
  async shrink(toBytes: number): Promise<boolean> {
    const unused = [...this.#locks].filter(([, { users }]) => users === 0).sort(([, a], [, b]) => a.usedAt - b.usedAt);
    for (const [hash] of unused) {
      if (this.#bytes <= toBytes) return true;
      this.#locks.delete(hash);
      const gone = join(this.#working, randomUUID());
      // Renamed first: half of a lock must not look like one.
      await rename(join(this.#folder, hash), gone);
      await removeFolder(gone);
    }
    return this.#bytes <= toBytes;
  }

  get #bytes(): number {
    return [...this.#locks.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

/** What was made by the user without rights becomes the worker's. */
async function readOnly(folder: string): Promise<void> {
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

/** How much a folder takes on the disk; what vanishes meanwhile counts nothing. */
export async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    // Small files take a block, which is most of what many of them take.
    const size = await lstat(join(entry.parentPath, entry.name)).then(
      ({ blocks, size: apparent }) => (blocks > 0 ? blocks * 512 : apparent),
      () => 0,
    );
    bytes += size;
  }
  return bytes;
}
