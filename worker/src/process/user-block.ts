import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';

/**
 * First user id of the first block. It is above the user ids that systems give to people and services, and inside the
 * range that containers usually map.
 */
export const FIRST_UID = 62_000;
export const BLOCK_SIZE = 64;
const BLOCKS = 46;
/**
 * Length of the name of each abstract socket, in bytes. It is the maximum: some versions of Node pad shorter names and
 * others do not, so the names would differ between versions.
 */
const NAME_BYTES = 108;

/**
 * A range of user ids that belongs to one worker of this machine. So every process with one of these ids belongs to a
 * run of this worker. The worker claims the range with an abstract Linux socket: only one process can listen on it, and
 * the kernel releases it when that process ends.
 */
export class UserBlock {
  /** Name of the abstract socket that claims the range. */
  readonly name: string;
  readonly #first: number;
  readonly #claim: Server;

  private constructor(first: number, name: string, claim: Server) {
    this.#first = first;
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
    for (const block of [last, ...Array.from({ length: BLOCKS }, (_, n) => n)]) {
      // Runs cannot claim this name, because the seccomp filter denies names of this length.
      const name = `\0trawl-worker-users-${block}`.padEnd(NAME_BYTES, '-');
      const claim = await claimSocket(name);
      if (!claim) continue;
      await writeFile(file, String(block), { mode: 0o600 });
      return new UserBlock(FIRST_UID + block * BLOCK_SIZE, name, claim);
    }
    return null;
  }

  uidOf(slotIndex: number): number {
    return this.#first + slotIndex;
  }

  has(uid: number): boolean {
    return this.#claim.listening && uid >= this.#first && uid < this.#first + BLOCK_SIZE;
  }
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
