import fs, { type PathLike } from 'node:fs';
import { dirname, sep } from 'node:path';

/** What npm may write into `node_modules`, and as much again into its cache. */
export interface WriteLimits {
  bytes: number;
  /** Files and folders. */
  entries: number;
}

/** What npm has written into a folder, in bytes on the disk, and in files and folders. */
export interface Written {
  bytes: number;
  entries: number;
}

export type ReachedLimit = 'size_limit' | 'file_limit';

/** Each file needs whole blocks, so many small files need much more space than the sum of their sizes. */
const BLOCK_BYTES = 4_096;
const blocks = (bytes: number): number => Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;

/**
 * Counts the files, folders and bytes that this process writes, while it writes them. So nobody has to scan a folder to
 * know its size, and no archive can fill the disk before it is noticed.
 * See docs/decisions/0475-libraries-of-skripts.md.
 */
export class WrittenFiles {
  readonly #root: string;
  readonly #limits: WriteLimits;
  readonly #onLimit: (limit: ReachedLimit, library: string | null) => void;
  /** What was written below `node_modules`, by library, and in all. */
  readonly #libraries = new Map<string, Written>();
  readonly installed: Written = { bytes: 0, entries: 0 };
  /** What was written elsewhere: npm's cache. */
  readonly #cache: Written = { bytes: 0, entries: 0 };
  readonly #files = new Map<number, { path: string; bytes: number }>();

  /**
   * @param root folder whose `node_modules` npm fills
   * @param onLimit is called when a limit is reached, with the library that has the most of it. npm may write a little
   *   more until the process ends.
   */
  constructor(root: string, limits: WriteLimits, onLimit: (limit: ReachedLimit, library: string | null) => void) {
    this.#root = `${root}${sep}node_modules${sep}`;
    this.#limits = limits;
    this.#onLimit = onLimit;
  }

  /** Replaces functions of `node:fs`. Load npm after this, because it keeps references to some of them. */
  watch(): void {
    const { open, write, writev, close, mkdir } = fs;
    const files = this;
    Object.assign(fs, {
      open(path: PathLike, ...rest: unknown[]) {
        const flags = typeof rest[0] === 'function' ? 'r' : rest[0];
        const isNew = typeof flags === 'number' ? (flags & fs.constants.O_CREAT) !== 0 : /[wa]/.test(String(flags));
        const callback = rest.pop() as (error: Error | null, fd: number) => void;
        // No archive can make a program run with the rights of its owner.
        if (typeof rest[1] === 'number') rest[1] &= 0o777;
        const done = (error: Error | null, fd: number) => {
          if (!error && isNew) files.#opened(fd, String(path));
          callback(error, fd);
        };
        Reflect.apply(open, fs, [path, ...rest, done]);
      },
      write(fd: number, data: string | ArrayBufferView, ...rest: unknown[]) {
        const length = typeof rest[1] === 'number' ? rest[1] : Buffer.byteLength(data as string);
        files.#wrote(fd, length);
        return Reflect.apply(write, fs, [fd, data, ...rest]);
      },
      writev(fd: number, buffers: readonly ArrayBufferView[], ...rest: unknown[]) {
        files.#wrote(
          fd,
          buffers.reduce((sum, { byteLength }) => sum + byteLength, 0),
        );
        return Reflect.apply(writev, fs, [fd, buffers, ...rest]);
      },
      close(fd: number, ...rest: unknown[]) {
        files.#files.delete(fd);
        return Reflect.apply(close, fs, [fd, ...rest]);
      },
      mkdir(path: PathLike, ...rest: unknown[]) {
        const callback = rest.pop() as (error: Error | null, first?: string) => void;
        const done = (error: Error | null, first?: string) => {
          if (!error) files.#made(String(path), first);
          callback(error, first);
        };
        Reflect.apply(mkdir, fs, [path, ...rest, done]);
      },
    });
    const { mkdir: mkdirLater, writeFile, appendFile } = fs.promises;
    Object.assign(fs.promises, {
      async mkdir(path: PathLike, options?: { recursive?: boolean }) {
        const first = await mkdirLater(path, options);
        if (first !== undefined || !options?.recursive) files.#made(String(path), first);
        return first;
      },
      async writeFile(path: PathLike, data: string | Uint8Array, options?: object) {
        files.#add(String(path), blocks(Buffer.byteLength(data)), 1);
        return writeFile(path, data, options);
      },
      async appendFile(path: PathLike, data: string | Uint8Array, options?: object) {
        files.#add(String(path), blocks(Buffer.byteLength(data)), 1);
        return appendFile(path, data, options);
      },
    });
  }

  #opened(fd: number, path: string): void {
    this.#files.set(fd, { path, bytes: 0 });
    this.#add(path, 0, 1);
  }

  #wrote(fd: number, bytes: number): void {
    const file = this.#files.get(fd);
    if (!file) return;
    const before = blocks(file.bytes);
    file.bytes += bytes;
    this.#add(file.path, blocks(file.bytes) - before, 0);
  }

  /** @param first the first folder that a call with `recursive` made */
  #made(path: string, first: string | undefined): void {
    let count = 1;
    for (let at = path; first !== undefined && at.length > first.length && at !== dirname(at); at = dirname(at)) {
      count += 1;
    }
    this.#add(path, count * BLOCK_BYTES, count);
  }

  #add(path: string, bytes: number, entries: number): void {
    const library = this.#libraryOf(path);
    const all = library === null ? this.#cache : this.installed;
    const sums = [all];
    if (library !== null) {
      const own = this.#libraries.get(library) ?? { bytes: 0, entries: 0 };
      this.#libraries.set(library, own);
      sums.push(own);
    }
    for (const sum of sums) {
      sum.bytes += bytes;
      sum.entries += entries;
    }
    if (all.bytes > this.#limits.bytes) this.#onLimit('size_limit', this.largest('bytes'));
    else if (all.entries > this.#limits.entries) this.#onLimit('file_limit', this.largest('entries'));
  }

  /** Returns the library that has written the most. */
  largest(what: keyof Written): string | null {
    return [...this.#libraries].sort(([, a], [, b]) => b[what] - a[what])[0]?.[0] ?? null;
  }

  /** Returns the name of the library in whose folder a path is; null for a path outside of node_modules. */
  #libraryOf(path: string): string | null {
    if (!path.startsWith(this.#root)) return null;
    const [first = '', second = ''] = path.slice(this.#root.length).split(sep);
    return first.startsWith('@') && second !== '' ? `${first}/${second}` : first;
  }
}
