import { existsSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { INSIDE, type SandboxMount } from '../executor/sandbox/sandbox-arguments.js';
import { readOnly } from '../libraries/read-only.js';
import { removeFolder } from '../process/remove-folder.js';

/** Name of the folder with the skript's libraries. On a worker, a hash of its lock has this place. */
export const LOCAL_LOCK = 'local';

export interface LocalLibrariesOptions {
  /** The worker's own folder. */
  folder: string;
  /** Folder of the runner and the built-in libraries, which the user of a run can read. */
  runtime: string;
  /** The skript's own `node_modules`, which may be missing. */
  nodeModules: string;
  /** Whether runs get a copy of `nodeModules`, because their user may not be able to read it. */
  isCopied: boolean;
}

/**
 * The libraries of a local run: those in the skript's own `node_modules`, and the built-in ones where Node looks next.
 * A sandbox mounts both. Without a sandbox, both are links.
 */
export class LocalLibraries {
  /** The folder with the links. */
  readonly folder: string;
  readonly mounts: SandboxMount[];
  readonly #own: string;
  /** The folder that runs see instead of `#own`. */
  readonly #shown: string;

  private constructor({ folder, runtime, nodeModules, isCopied }: LocalLibrariesOptions) {
    this.folder = join(folder, 'libraries');
    this.#own = nodeModules;
    this.#shown = isCopied ? join(folder, 'copied-libraries') : nodeModules;
    this.mounts = [
      { inside: `${INSIDE.libraries}/node_modules`, outside: join(runtime, 'node_modules'), isNeeded: true },
      { inside: `${INSIDE.libraries}/${LOCAL_LOCK}/node_modules`, outside: this.#shown, isNeeded: false },
    ];
  }

  static async open(options: LocalLibrariesOptions): Promise<LocalLibraries> {
    const libraries = new LocalLibraries(options);
    const { folder } = libraries;
    await mkdir(join(folder, LOCAL_LOCK), { recursive: true });
    await symlink(join(options.runtime, 'node_modules'), join(folder, 'node_modules'), 'junction');
    await symlink(libraries.#shown, join(folder, LOCAL_LOCK, 'node_modules'), 'junction');
    return libraries;
  }

  /** Returns the name of the libraries for the next run; null if the skript has none. */
  get lock(): string | null {
    return existsSync(this.#own) ? LOCAL_LOCK : null;
  }

  has(): boolean {
    return true;
  }

  /** Copies the libraries for a run, if necessary. */
  async take(): Promise<() => void> {
    if (this.#shown !== this.#own) {
      await removeFolder(this.#shown);
      await cp(this.#own, this.#shown, { recursive: true, verbatimSymlinks: true });
      await readOnly(this.#shown);
    }
    return () => {};
  }
}
