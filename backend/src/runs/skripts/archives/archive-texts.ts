import { builtPart, fileText, isDataUrl, LIMITS, mustBeText, skippedPart } from '@trawl/contracts';
import { ApiError } from '../../../platform/common/errors.js';
import { TakenNames } from '../names.js';
import { SkippedNames } from './skipped-names.js';

/** Enough for a skript with the highest allowed number of files, inputs and input secrets, plus folders. */
export const MAX_ENTRIES = 2_000;
/** Files that operating systems add to folders. */
const SYSTEM_FILES = /^__MACOSX\/|(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$/;

/** The texts in an archive, by file name. If one top folder holds them all, the names are without it. */
export type ArchiveTexts = Map<string, string>;

export interface ReadArchive {
  texts: ArchiveTexts;
  /** Names of folders and files that are not among the texts: see `skipped-names.ts`. */
  skipped: string[];
}

/** A file of an upload whose content is not read yet. */
export interface PackedFile {
  name: string;
  /** Size of the content, as a zip declares it. */
  bytes: number;
  /** @throws {ApiError} 422 `archive_invalid`. */
  read(): Buffer | Promise<Buffer>;
}

/** Collects the files of an upload, and leaves out those that are never stored. */
export class ArchiveFiles {
  readonly #skipped = new SkippedNames();
  readonly #files: PackedFile[] = [];

  /** @throws {ApiError} 422 `archive_invalid` for a path that leads out of the archive. */
  add(file: PackedFile): void {
    if (!this.#skips(file.name) && !SYSTEM_FILES.test(file.name)) this.#files.push(file);
  }

  /**
   * Adds an entry for a folder, which is only listed if the upload skips it.
   * @throws {ApiError} as `add` does.
   */
  addFolder(name: string): void {
    this.#skips(name);
  }

  #skips(name: string): boolean {
    checkPath(name);
    const skip = skippedPart(name);
    if (skip !== null) this.#skipped.add(skip);
    return skip !== null;
  }

  /**
   * Reads the files that were added.
   * @throws {ApiError} 422 `archive_invalid` or 413 `payload_too_large`, naming the file.
   */
  async texts(): Promise<ReadArchive> {
    const top = topFolderOf(this.#files.map(({ name }) => name));
    const taken = new TakenNames();
    const texts: ArchiveTexts = new Map();
    let unpacked = 0;
    for (const file of this.#files) {
      const { name } = file;
      const built = builtPart(name.slice(top.length));
      if (built !== null) {
        this.#skipped.add(top + built);
        continue;
      }
      unpacked += file.bytes;
      checkSizes(file, unpacked);
      const rival = taken.add(name);
      if (rival !== undefined) {
        throw invalid(
          name,
          `collides with ${shown(rival)}: the names are equal, differ only in case, or one is a folder of the other`,
        );
      }
      texts.set(name.slice(top.length), textOf(name, await file.read()));
    }
    return { texts, skipped: this.#skipped.list(top) };
  }
}

export const invalid = (name: string, message: string): ApiError =>
  new ApiError('archive_invalid', `${shown(name)} in the archive ${message}.`, { entry: name.slice(0, 300) });

const shown = (name: string): string => JSON.stringify(name.slice(0, 300));

function checkPath(name: string): void {
  if (name.startsWith('/') || /^[a-z]:/i.test(name)) throw invalid(name, 'must not have an absolute path');
  if (name.includes('\\')) throw invalid(name, 'must not have a backslash in its name; separate folders with /');
  if (name.split('/').some(part => part === '.' || part === '..'))
    throw invalid(name, 'must not contain . or .. in its path');
}

/** Checks the sizes that the archive declares. An entry that is larger than declared fails while it is unpacked. */
function checkSizes({ name, bytes }: PackedFile, unpacked: number): void {
  if (bytes > LIMITS.fileBytes) {
    throw new ApiError(
      'payload_too_large',
      `${shown(name)} in the archive is ${bytes} bytes; the limit for a file is ${LIMITS.fileBytes}.`,
    );
  }
  if (unpacked > LIMITS.archiveUnpackedBytes) {
    throw new ApiError(
      'payload_too_large',
      `With ${shown(name)}, the archive exceeds the limit of ${LIMITS.archiveUnpackedBytes} bytes unpacked.`,
    );
  }
}

/** Returns the text that is stored for a file. */
function textOf(name: string, content: Buffer): string {
  const text = fileText(content);
  if (!isDataUrl(text)) return text;
  if (mustBeText(name)) throw invalid(name, 'is not UTF-8 text; save it as UTF-8');
  if (content.length > LIMITS.binaryFileBytes) {
    throw new ApiError(
      'payload_too_large',
      `${shown(name)} in the archive is ${content.length} bytes; the limit for a file that is not UTF-8 text is ${LIMITS.binaryFileBytes}.`,
    );
  }
  return text;
}

/** Returns the top folder that holds all files, which most zip tools add; '' if there is none. */
function topFolderOf(names: string[]): string {
  const top = /^[^/]+\//.exec(names[0] ?? '')?.[0];
  return top !== undefined && names.every(name => name.startsWith(top)) ? top : '';
}
