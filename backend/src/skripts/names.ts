import { ApiError } from '../common/errors.js';

export const FILE_NAME_CHARS = 200;
export const INPUT_NAME_CHARS = 120;
const MAX_FOLDERS = 20;
/** In an archive, the skript's own fields. */
export const MANIFEST = 'manifest.json';

/** Inside the brackets of a pattern: control characters, and what one file system or another does not take. */
const UNSAFE = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\\\:*?"<>|';
const NOT_IN_A_FILE_NAME = new RegExp(`[${UNSAFE}]|\\p{Surrogate}`, 'u');
/** Windows opens a device for these, whatever follows the dot. */
const WINDOWS_DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
/** Names of inputs and input secrets stand in no folder. */
const INPUT_LIKE = /^input[^/]*\.json$/i;
const SECRET_LIKE = /^inputsecret/i;
export const INPUT_NAME = new RegExp(`^input(?![sS][eE][cC][rR][eE][tT])[^${UNSAFE}/]*\\.json$`);
export const INPUT_SECRET_NAME = new RegExp(`^inputSecret[^${UNSAFE}/]*\\.json$`);

export const INPUT_NAME_EXPECTED =
  'a text that begins with input (not with inputSecret: these are input secrets) and ends with .json, such as input-books.json';

/** Why a skript can have no file of this name; null when it can. */
export function fileNameProblem(name: string): string | null {
  if (name === '' || name.length > FILE_NAME_CHARS) return `must have 1 to ${FILE_NAME_CHARS} characters`;
  if (name.startsWith('/')) return 'must be a path inside the skript, such as lib/parse.js, so it cannot begin with /';
  if (NOT_IN_A_FILE_NAME.test(name)) return 'must not contain control characters or any of \\ : * ? " < > |';
  const parts = name.split('/');
  if (parts.length > MAX_FOLDERS + 1) return `must not stand in more than ${MAX_FOLDERS} folders`;
  for (const part of parts) {
    if (part === '') return 'must not have an empty folder or file name in it';
    if (part === '.' || part === '..') return 'must not have . or .. in it';
    if (part.startsWith(' ') || part.endsWith(' ') || part.endsWith('.'))
      return 'must not have names that begin with a space or end with a space or a dot';
    if (WINDOWS_DEVICE.test(part)) return 'must not have the name of a Windows device in it, such as con, nul or com1';
    if (SECRET_LIKE.test(part)) {
      return 'must not begin with inputSecret: a secret is added at /joint-api/input-secrets/addnew, which encrypts it';
    }
  }
  if (INPUT_LIKE.test(name)) {
    return 'is a name for an input; add it at /joint-api/inputs/addnew, so that a run can be started with it';
  }
  if (fold(name) === MANIFEST) {
    return 'stands for the skript’s own fields; change these with PUT /joint-api/skripts/{skript_id}';
  }
  return null;
}

/** @throws {ApiError} 400 naming what is wrong with the name. */
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

/** The folders that a name stands in: `a/b/c.js` → `a`, `a/b`. */
export const foldersOf = (name: string): string[] =>
  name
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'));

/** What a file system that tells neither upper from lower case nor one way to write an accent from another takes it for. */
const fold = (name: string): string => name.normalize('NFC').toLowerCase();

/** Names of one skript. No two may be the same on any file system, or be a file here and a folder there. */
export class TakenNames {
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, { folder: string; name: string }>();

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.add(name);
  }

  /** @returns the name that stands in the way, and then this one is not added. */
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

/** @throws {ApiError} 409 naming the one that is in the way. */
export function checkNameFree(taken: TakenNames, name: string): void {
  const rival = taken.add(name);
  if (rival === undefined) return;
  const why =
    rival === name
      ? ''
      : `, so it cannot have ${name} as well. Names that differ in case only, also those of folders, count as the same`;
  throw new ApiError('name_taken', `The skript has ${rival} already${why}.`);
}
