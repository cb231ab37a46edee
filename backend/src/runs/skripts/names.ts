import { ApiError } from '../../platform/common/errors.js';
import { BIDI_CONTROLS } from '../../platform/http/file-name.js';

export const FILE_NAME_CHARS = 200;
export const INPUT_NAME_CHARS = 120;
const MAX_FOLDERS = 20;
/** The file in an archive that contains the skript's fields. */
export const MANIFEST = 'manifest.json';

/** For use in a regular expression: control characters, and characters that some file system forbids in names. */
const UNSAFE = `\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029${BIDI_CONTROLS}\\\\:*?"<>|`;
const FORBIDDEN = new RegExp(`[${UNSAFE}]|\\p{Surrogate}`, 'u');
/** Names that Windows reserves for devices, even with an extension such as `.txt`. */
const WINDOWS_DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
/** Names of inputs and input secrets. They cannot be in a folder. */
const INPUT_LIKE = /^input[^/]*\.json$/i;
const SECRET_LIKE = /^inputsecret/i;
export const INPUT_NAME = new RegExp(`^input(?![sS][eE][cC][rR][eE][tT])[^${UNSAFE}/]*\\.json$`);
export const INPUT_SECRET_NAME = new RegExp(`^inputSecret[^${UNSAFE}/]*\\.json$`);

export const INPUT_NAME_EXPECTED =
  'a name that begins with input (but not inputSecret, which is for input secrets) and ends with .json, such as input-books.json';

export const INPUT_SECRET_NAME_EXPECTED =
  'a name that begins with inputSecret and ends with .json, such as inputSecret-shop.json';

/** Checks a file name. Returns null if it is allowed, otherwise the reason, as the end of a sentence. */
export function fileNameProblem(name: string): string | null {
  if (name === '' || name.length > FILE_NAME_CHARS) return `must have 1 to ${FILE_NAME_CHARS} characters`;
  if (name.startsWith('/')) return 'must not begin with /: use a path inside the skript, such as lib/parse.js';
  if (FORBIDDEN.test(name))
    return 'must not contain control characters, characters that change the direction of text, or any of \\ : * ? " < > |';
  const parts = name.split('/');
  if (parts.length > MAX_FOLDERS + 1) return `must not be nested in more than ${MAX_FOLDERS} folders`;
  for (const part of parts) {
    if (part === '') return 'must not contain an empty folder or file name';
    if (part === '.' || part === '../..') return 'must not contain . or .. as a path segment';
    if (part.startsWith(' ') || part.endsWith(' ') || part.endsWith('.'))
      return 'must not contain a folder or file name that begins with a space or ends with a space or dot';
    if (WINDOWS_DEVICE.test(part)) return 'must not contain the name of a Windows device, such as con, nul or com1';
    if (SECRET_LIKE.test(part)) {
      return 'must not contain a name that begins with inputSecret: add it to the input secrets of the skript, which Trawl encrypts';
    }
  }
  if (INPUT_LIKE.test(name)) {
    return 'is reserved for inputs: add it to the inputs of the skript, so that you can start runs with it';
  }
  if (fold(name) === MANIFEST) {
    return 'is reserved for the settings of the skript: change them there';
  }
  return null;
}

/** @throws {ApiError} 400 for a name that is not allowed. */
export function checkFileName(name: string): void {
  const message = fileNameProblem(name);
  if (message) {
    throw new ApiError(
      'validation_failed',
      `The file name ${JSON.stringify(name.slice(0, FILE_NAME_CHARS))} ${message}.`,
      [{ field: 'name', message }],
    );
  }
}

/** Returns the folders of a path: `a/b/c.js` → `a`, `a/b`. */
export const foldersOf = (name: string): string[] =>
  name
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'));

/**
 * Converts a name so that two names get the same text if some file system treats them as the same. Such file systems
 * ignore case or Unicode normalization.
 */
const fold = (name: string): string => name.normalize('NFC').toLowerCase();

/**
 * The file names of one skript. Refuses a name that is the same as another on some file system, and a file with the
 * name of a folder.
 */
export class TakenNames {
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, { folder: string; name: string }>();

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.add(name);
  }

  /**
   * Adds a name. If it collides with an existing name, does not add it.
   * @returns the existing name that it collides with.
   */
  add(name: string): string | undefined {
    const folded = fold(name);
    const folders = foldersOf(name);
    const rival =
      this.#files.get(folded) ?? this.#folders.get(folded)?.name ?? first(folders, folder => this.#rivalOf(folder));
    if (rival !== undefined) return rival;
    this.#files.set(folded, name);
    for (const folder of folders) this.#folders.set(fold(folder), { folder, name });
    return undefined;
  }

  #rivalOf(folder: string): string | undefined {
    const file = this.#files.get(fold(folder));
    if (file !== undefined) return file;
    const known = this.#folders.get(fold(folder));
    return known && known.folder !== folder ? known.name : undefined;
  }
}

function first<T, R>(items: T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Adds a name to `taken`.
 * @throws {ApiError} 409 if the name collides with an existing one, naming that one.
 */
export function checkNameFree(taken: TakenNames, name: string): void {
  const rival = taken.add(name);
  if (rival === undefined) return;
  const why =
    rival === name ? '' : `, which collides with ${name}. Names and folders that differ only in case count as the same`;
  throw new ApiError('name_taken', `The skript already has ${rival}${why}.`);
}
