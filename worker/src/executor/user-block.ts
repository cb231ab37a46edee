import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** Beyond the user ids that systems give to people and services, and within what a container usually maps. */
export const FIRST_UID = 62_000;
export const BLOCK_SIZE = 64;
const BLOCKS = 46;
/** As long as the name of a socket can be: shorter ones some versions of Node fill up and others do not, and so each has its own. */
const NAME_BYTES = 108;

/**
 * A range of user ids that belongs to one worker of this machine, so that all processes with one of them are its own. Held by
 * a Linux abstract socket: the kernel gives it to one process only and takes it back when that process ends, however.
 */
export class UserBlock {
  /** Of the abstract socket that holds it. */
  readonly name: string;
  readonly #first: number;
  // Held for as long as the worker lives.
  readonly #claim: Server;

  private constructor(first: number, name: string, claim: Server) {
    this.#first = first;
    this.name = name;
    this.#claim = claim.unref();
  }

  /** Null when this worker may not give user ids: not Linux, not root, or every block taken. */
  static async claim(folder: string): Promise<UserBlock | null> {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
    // The one it had before, because what an earlier start of this worker left has ids of that.
    const file = join(folder, 'user-block');
    const last = Number(await readFile(file, 'utf8').catch(() => 0));
    for (const block of [last, ...Array.from({ length: BLOCKS }, (_, n) => n)]) {
      // The filter of system calls keeps runs from taking names of this length.
      const name = `\0trawl-worker-users-${block}`.padEnd(NAME_BYTES, '-');
      const claim = await claimed(name);
      if (!claim) continue;
      await writeFile(file, String(block), { mode: 0o600 });
      return new UserBlock(FIRST_UID + block * BLOCK_SIZE, name, claim);
    }
    return null;
  }

  uidOf(slot: number): number {
    return this.#first + slot;
  }

  has(uid: number): boolean {
    return this.#claim.listening && uid >= this.#first && uid < this.#first + BLOCK_SIZE;
  }
}

/** The socket that holds what this name stands for; null where another process has it. */
export async function claimed(name: string): Promise<Server | null> {
  const server = createServer(connection => connection.destroy());
  try {
    server.listen(name);
    await once(server, 'listening');
    return server;
  } catch {
    // Also where the system knows no such sockets.
    return null;
  }
}
