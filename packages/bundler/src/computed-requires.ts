/**
 * `require` with a path that is known only in the run, as in `require('./steps/' + name)`. A bundle with such a call has
 * all files of the skript, and the runner finds them by the name of the file.
 */

import { isCode } from '@trawl/contracts/main-file';
import { loaderOf } from './code-files.js';
import type { SkriptFiles } from './skript-files.js';

/**
 * Name of the file of such a bundle that gives the runner all files of the skript.
 * See docs/decisions/0117-files-of-a-skript-and-its-bundle.md.
 */
export const COMPUTED_FILES = '<files>';

/** `require` with anything but a text, or passed on as a function. Matches in comments and texts do no harm. */
const COMPUTED = /\brequire\s*\(\s*(?!\s|(['"`])(?:(?!\1)[^\\\n$])*\1\s*\))|[(,=]\s*require\s*[),;\n]/;
/** The calls that esbuild would replace by a search on the disk: those that begin with `'./' +` or `` `./${ ``. */
const SEARCHING = /\brequire(?=\s*\(\s*(?:(['"])\.\.?\/[^'"\n]*\1\s*\+|`\.\.?\/[^`\n]*\$\{))/g;

/** Returns the names of the files that such calls can reach; none if no file has such a call. */
export const requirableFiles = (files: SkriptFiles): string[] =>
  hasCode(files, (_, content) => COMPUTED.test(content))
    ? [...files.keys()].filter(name => loaderOf(name) !== undefined && !name.endsWith('.d.ts'))
    : [];

/** Returns whether a file of code matches. */
const hasCode = (files: SkriptFiles, matches: (name: string, content: string) => boolean): boolean =>
  [...files.keys()].some(name => isCode(name) && matches(name, files.get(name) ?? ''));

/** Makes esbuild leave the calls as they are. The rest of the line is four columns further right in the source map. */
export const keepComputedRequires = (code: string): string => code.replace(SEARCHING, 'require.own');

/**
 * Builds a bundle whose computed requires reach only files that can be built. Others may be for other programs, such as a
 * browser, so they must not fail the build.
 *
 * @param names of all files that such calls can reach
 * @param main name of the file in which a run starts
 * @param build builds a bundle in which they reach these files
 * @param brokenFiles returns the names of the files with errors, or null if the build has succeeded
 */
export async function buildReachable<Result>(
  names: string[],
  main: string,
  build: (names: string[]) => Promise<Result>,
  brokenFiles: (result: Result) => readonly string[] | null,
): Promise<Result> {
  const result = await build(names);
  const broken = brokenFiles(result);
  if (broken === null || names.length === 0) return result;
  const rest = names.filter(name => !broken.includes(name));
  const reachable = rest.length < names.length && rest.includes(main) ? rest : [];
  return buildReachable(reachable, main, build, brokenFiles);
}

/** Returns the code of the file that gives the runner all files. */
export function filesCode(names: readonly string[]): string {
  const files = names.map(name => `${JSON.stringify(name)}: () => require(${JSON.stringify(`./${name}`)})`);
  return `require.files = { __proto__: null, ${files.join(', ')} };\n`;
}

/**
 * Returns the identifiers to replace in the bundle. A file in a folder has its own `__dirname`, and each file its own
 * `import.meta`. The runner finds out which file it is when the code reads it.
 */
export const ownPaths = (files: SkriptFiles): Record<string, string> => ({
  'import.meta': '__trawl_file',
  ...(hasCode(files, (name, content) => name.includes('/') && /\b__(?:dir|file)name\b/.test(content))
    ? { __dirname: '__trawl_file.dirname', __filename: '__trawl_file.filename' }
    : {}),
});
