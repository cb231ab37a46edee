import { builtPart, isMainFile, LIMITS, skippedPart } from '@trawl/contracts';
import { type DroppedFile, isArchive, unpack } from './unpack.js';

export interface Dropped {
  /** Name of the folder or archive; of the first file if several were dropped. */
  title: string;
  files: DroppedFile[];
  /** Names of folders and files that are never uploaded, such as `node_modules/`. */
  skipped: string[];
}

/** As many as the API takes at once. */
const MAX_FILES = 2_000;
/** Files that operating systems add to folders. */
const SYSTEM_FILES = /(^|\/)(__MACOSX\/.*|\.DS_Store|Thumbs\.db|desktop\.ini)$/;

/** Collects files up to the limits of an upload. */
class Collection {
  readonly files: DroppedFile[] = [];
  readonly skipped = new Set<string>();
  #bytes = 0;

  /** Returns whether the upload takes a file or folder of this name. */
  takes(name: string): boolean {
    const skipped = skippedPart(name);
    if (skipped !== null) this.skipped.add(skipped);
    return skipped === null && !SYSTEM_FILES.test(name);
  }

  async add(name: string, size: number, read: () => Promise<Uint8Array> | Uint8Array): Promise<void> {
    if (!this.takes(name)) return;
    this.#bytes += size;
    if (this.files.length === MAX_FILES) throw new Error(`There are more than ${MAX_FILES.toLocaleString()} files.`);
    if (this.#bytes > LIMITS.archiveUnpackedBytes) {
      throw new Error(`The files are larger than ${LIMITS.archiveUnpackedBytes / 1024 / 1024} MiB together.`);
    }
    this.files.push({ name, bytes: await read() });
  }
}

const bytesOf = async (file: File): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** Lists a folder. The browser returns at most 100 entries at a time. */
async function* entriesIn(folder: FileSystemDirectoryEntry): AsyncGenerator<FileSystemEntry> {
  const reader = folder.createReader();
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return;
    yield* entries;
  }
}

async function addEntry(collection: Collection, entry: FileSystemEntry): Promise<void> {
  const name = entry.fullPath.replace(/^\//, '');
  if (entry.isFile) {
    const file = await fileOf(entry as FileSystemFileEntry);
    await collection.add(name, file.size, () => bytesOf(file));
  } else if (collection.takes(name)) {
    for await (const inside of entriesIn(entry as FileSystemDirectoryEntry)) await addEntry(collection, inside);
  }
}

/**
 * Returns the files without the one folder that holds them all, if that is the folder of a skript. Any other folder
 * stays a part of the names.
 */
export function withoutTopFolder(files: DroppedFile[]): DroppedFile[] {
  const top = /^[^/]+\//.exec(files[0]?.name ?? '')?.[0];
  if (top === undefined || !files.every(({ name }) => name.startsWith(top))) return files;
  const isTop = (name: string) => name === 'manifest.json' || isMainFile(name);
  if (!files.some(({ name }) => name.startsWith(top) && isTop(name.slice(top.length)))) return files;
  return files.map(({ name, bytes }) => ({ name: name.slice(top.length), bytes }));
}

function droppedOf(title: string, { files, skipped }: Collection): Dropped {
  const inside = withoutTopFolder(files);
  const kept = inside.filter(({ name }) => {
    const built = builtPart(name);
    if (built !== null) skipped.add(built);
    return built === null;
  });
  if (kept.length === 0) throw new Error('There are no files that Trawl stores.');
  return { title, files: kept, skipped: [...skipped] };
}

/** Reads chosen or dropped files. A single archive stands for the files in it. @throws {Error} with a message for the user. */
export async function readFiles(files: readonly File[]): Promise<Dropped> {
  const collection = new Collection();
  const [first] = files;
  if (files.length === 1 && first && isArchive(first.name)) {
    for (const { name, bytes } of await unpack(first)) await collection.add(name, bytes.length, () => bytes);
  } else {
    for (const file of files) await collection.add(file.name, file.size, () => bytesOf(file));
  }
  return droppedOf((first?.name ?? '').replace(/\.(zip|tgz|tar|tar\.gz)$/i, ''), collection);
}

/** Reads what was dropped on the page: folders, files or an archive. @throws {Error} with a message for the user. */
export function readDropped(transfer: DataTransfer): Promise<Dropped> {
  // The browser empties the transfer as soon as its event is over.
  const entries = [...transfer.items].flatMap(item => item.webkitGetAsEntry() ?? []);
  const files = [...transfer.files];
  return entries.some(({ isDirectory }) => isDirectory) ? readFolders(entries) : readFiles(files);
}

async function readFolders(entries: FileSystemEntry[]): Promise<Dropped> {
  const collection = new Collection();
  for (const entry of entries) await addEntry(collection, entry);
  return droppedOf(entries[0]?.name ?? '', collection);
}
