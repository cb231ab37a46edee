import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessIdentity } from './process-identity.js';
import { killOrphan } from './process-table.js';
import type { UserBlock } from './user-block.js';

/** Records the processes of runs on disk, so that the worker's next start can kill those that are still alive. */
export class ProcessRegistry {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Kills the processes that an earlier worker left, and clears the registry. */
  static async open(folder: string, users: UserBlock | null): Promise<ProcessRegistry> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      const text = readFileSync(file, 'utf8');
      // Ignore an incomplete file: the worker was killed while it wrote the file. The process had not received a bundle
      // yet, and ended when its pipe closed.
      if (text.endsWith('}')) {
        const identity = JSON.parse(text) as ProcessIdentity;
        // Do not kill by the user id if it belongs to another worker now, because that worker's runs must survive.
        const uid = identity.uid !== null && users?.has(identity.uid) ? identity.uid : null;
        await killOrphan({ ...identity, uid });
      }
      rmSync(file);
    }
    return new ProcessRegistry(folder);
  }

  /** @throws Error when the write fails. */
  add(slotIndex: number, identity: ProcessIdentity): void {
    writeFileSync(this.#fileOf(slotIndex), JSON.stringify(identity), { mode: 0o600 });
  }

  /** Removes the slot's process from the registry. Call it when the process and all its children are gone. */
  remove(slotIndex: number): void {
    rmSync(this.#fileOf(slotIndex), { force: true });
  }

  #fileOf(slotIndex: number): string {
    return join(this.#folder, `${slotIndex}.json`);
  }
}
