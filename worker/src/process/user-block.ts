import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';

const BLOCKS = 46;
/** Ids above all that systems and container engines give to people, services and containers. */
const LARGE_BLOCKS = { first: 1_900_000_000, size: 512 };
/**
 * Ids above those that systems give to people and services, and inside the range of 65,536 ids that rootless containers
 * have.
 */
const SMALL_BLOCKS = { first: 62_000, size: 64 };
/**
 * Length of the name of each abstract socket, in bytes. It is the maximum: some versions of Node pad shorter names and
 * others do not, so the names would differ between versions.
 */
const NAME_BYTES = 108;

/**
 * A range of user ids that belongs to one worker of this machine. So every process with one of these ids belongs to a
 * run of this worker. The worker claims the range with an abstract Linux socket: only one process can listen on it, and
 * the kernel releases it when that process ends.
 * See docs/decisions/0029-sandbox-of-a-slot.md.
 */
export class UserBlock {
  /** Name of the abstract socket that claims the range. */
  readonly name: string;
  /** Number of user ids. */
  readonly size: number;
  readonly #first: number;
  readonly #claim: Server;

  private constructor(first: number, size: number, name: string, claim: Server) {
    this.#first = first;
    this.size = size;
    this.name = name;
    this.#claim = claim.unref();
  }

  /**
   * Claims a range of user ids. Returns null if this worker cannot give user ids to runs: the system is not Linux, the
   * worker is not root, or all ranges are taken.
   */
  static async claim(folder: string): Promise<UserBlock | null> {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
    // Try the block first that this worker had in its last start, because processes from that time may still have its
    // user ids.
    const file = join(folder, 'user-block');
    const last = Number(await readFile(file, 'utf8').catch(() => 0));
    const { first: start, size } = blocksOf(idMaps());
    const all = Array.from({ length: BLOCKS }, (_, n) => start + n * size);
    for (const first of [...(all.includes(last) ? [last] : []), ...all]) {
      // Runs in sandboxes cannot claim this name, because each has a network of its own.
      const name = `\0trawl-worker-users-${first}`.padEnd(NAME_BYTES, '-');
      const claim = await claimSocket(name);
      if (!claim) continue;
      await writeFile(file, String(first), { mode: 0o600 });
      return new UserBlock(first, size, name, claim);
    }
    return null;
  }

  uidOf(slotIndex: number): number {
    return this.#first + slotIndex;
  }

  has(uid: number): boolean {
    return this.#claim.listening && uid >= this.#first && uid < this.#first + this.size;
  }
}

/** Reads which user and group ids this process may use. */
const idMaps = (): string[] => ['uid', 'gid'].map(kind => readFileSync(`/proc/self/${kind}_map`, 'utf8'));

/**
 * Returns the first id and the size of the blocks. A small block has too few ids for many runs, but a container may lack
 * the ids of large ones.
 *
 * @param maps content of /proc/self/uid_map and /proc/self/gid_map, which list ranges as first id, id outside, count
 */
export function blocksOf(maps: string[]): { first: number; size: number } {
  const end = LARGE_BLOCKS.first + BLOCKS * LARGE_BLOCKS.size;
  const hasLarge = maps.every(map =>
    map.split('\n').some(line => {
      const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
      return first <= LARGE_BLOCKS.first && first + count >= end;
    }),
  );
  return hasLarge ? LARGE_BLOCKS : SMALL_BLOCKS;
}

/**
 * Listens on an abstract socket. Returns null if another process already listens on it, or if the system has no
 * abstract sockets.
 */
export async function claimSocket(name: string): Promise<Server | null> {
  const server = createServer(connection => connection.destroy());
  try {
    server.listen(name);
    await once(server, 'listening');
    return server;
  } catch {
    return null;
  }
}
