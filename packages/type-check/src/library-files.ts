/** Files of the skript's folder that are not part of the skript, such as installed libraries. Paths are relative to it. */
export interface FilesOnDisk {
  read(path: string): string | undefined;
  isFile(path: string): boolean;
  isFolder(path: string): boolean;
}

/** The types of the npm libraries that a skript's `package.json` names. */
export interface LibraryTypes {
  /** Equal types have the same key. */
  key: string;
  /** Paths in the skript's folder, such as `node_modules/ms/index.d.ts`. */
  files: readonly { path: string; content: string }[];
  /** The libraries without types, each with the reason. */
  left_out: readonly { library: string; reason: string }[];
}

/** Libraries in memory, for a program without a disk. */
export class LibraryFiles implements FilesOnDisk {
  readonly key: string;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #folders = new Set<string>();
  readonly #leftOut: ReadonlyMap<string, string>;

  constructor({ key, files, left_out }: LibraryTypes) {
    this.key = key;
    this.#texts = new Map(files.map(({ path, content }) => [path, content]));
    this.#leftOut = new Map(left_out.map(({ library, reason }) => [library, reason]));
    for (const path of this.#texts.keys()) {
      for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
        this.#folders.add(path.slice(0, at));
      }
    }
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  read(path: string): string | undefined {
    return this.#texts.get(path);
  }

  isFile(path: string): boolean {
    return this.#texts.has(path);
  }

  isFolder(path: string): boolean {
    return this.#folders.has(path);
  }

  /** Returns why the types of a module's library are missing; null if they are not. */
  whyLeftOut(module: string): string | null {
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? '';
    return this.#leftOut.get(name) ?? null;
  }
}

export const NO_LIBRARIES: LibraryTypes = { key: '', files: [], left_out: [] };
