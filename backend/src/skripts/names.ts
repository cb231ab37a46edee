import { ApiError } from '../common/errors.js';

export const FILE_NAME_CHARS = 200;
export const INPUT_NAME_CHARS = 120;

/** Names of inputs and input secrets stand in no folder. */
const INPUT_LIKE = /^input[^/]*\.json$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that are refused
const NOT_IN_A_FILE_NAME = /[\u0000-\u001f\u007f\\:*?"<>|]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that are refused
export const INPUT_NAME = /^input(?!Secret)[^\u0000-\u001f\u007f/\\:*?"<>|]*\.json$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that are refused
export const INPUT_SECRET_NAME = /^inputSecret[^\u0000-\u001f\u007f/\\:*?"<>|]*\.json$/;

/** Why a skript can have no file of this name; null when it can. */
export function fileNameProblem(name: string): string | null {
  if (name === '' || name.length > FILE_NAME_CHARS) return `must have 1 to ${FILE_NAME_CHARS} characters`;
  if (name.startsWith('/')) return 'must be a path inside the skript, such as lib/parse.js, so it cannot begin with /';
  if (NOT_IN_A_FILE_NAME.test(name)) return 'must not contain control characters or any of \\ : * ? " < > |';
  for (const part of name.split('/')) {
    if (part === '') return 'must not have an empty folder or file name in it';
    if (part === '.' || part === '..') return 'must not have . or .. in it';
    if (part.startsWith(' ') || part.endsWith(' ') || part.endsWith('.'))
      return 'must not have names that begin with a space or end with a space or a dot';
  }
  if (INPUT_LIKE.test(name)) {
    return 'is a name for an input or an input secret; add it as one of these, so that it is not kept as a file';
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
