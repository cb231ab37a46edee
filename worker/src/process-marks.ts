import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessMark } from './executor/executor.js';
import { killLeftOver } from './executor/process-table.js';
import type { UserBlock } from './executor/user-block.js';

/** On the worker's disk: which processes it has, so that its next start ends those that outlived it. */
export class ProcessMarks {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Ends what an earlier worker left, and begins anew. */
  static async open(folder: string, users: UserBlock | null): Promise<ProcessMarks> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      const text = readFileSync(file, 'utf8');
      // Cut when the worker was killed while writing it; the process had no bundle by then and ended with its pipe.
      if (text.endsWith('}')) {
        const mark = JSON.parse(text) as ProcessMark;
        // A user id that another worker has by now would take its runs along.
        const uid = mark.uid !== null && users?.has(mark.uid) ? mark.uid : null;
        await killLeftOver({ ...mark, uid });
      }
      rmSync(file);
    }
    return new ProcessMarks(folder);
  }

  /** @throws Error when the disk refuses it. */
  keep(place: number, mark: ProcessMark): void {
    writeFileSync(this.#fileOf(place), JSON.stringify(mark), { mode: 0o600 });
  }

  /** Nothing is left of the process in this place. */
  forget(place: number): void {
    rmSync(this.#fileOf(place), { force: true });
  }

  #fileOf(place: number): string {
    return join(this.#folder, `${place}.json`);
  }
}
