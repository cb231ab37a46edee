/**
 * `require` with a path that is known only in the run, as in `require('./steps/' + name)`. A bundle with such a call has
 * all files of the skript, and the runner finds them by the name of the file.
 */

/**
 * Name of the entry point that such a bundle has instead of main.js.
 * See docs/decisions/0117-files-of-a-skript-and-its-bundle.md.
 */
export const COMPUTED_ENTRY = '<entry>';

/** `require` with anything but a text, or passed on as a function. Matches in comments and texts do no harm. */
const COMPUTED = /\brequire\s*\(\s*(?!\s|(['"`])(?:(?!\1)[^\\\n$])*\1\s*\))|[(,=]\s*require\s*[),;\n]/;
/** The calls that esbuild would replace by a search on the disk: those that begin with `'./' +` or `` `./${ ``. */
const SEARCHING = /\brequire(?=\s*\(\s*(?:(['"])\.\.?\/[^'"\n]*\1\s*\+|`\.\.?\/[^`\n]*\$\{))/g;
const CODE = /\.[cm]?js$/;
const REQUIRABLE = /\.(?:[cm]?js|json)$/;

type Files = readonly { name: string; content: string }[];

/** Returns whether a file is code by its name. */
export const isCode = (name: string): boolean => CODE.test(name);

/** Returns whether code has such a call. */
export const hasComputedRequire = (code: string): boolean => COMPUTED.test(code);

/** Returns the names of the files that such calls can reach; none if no file has such a call. */
export const requirableFiles = (files: Files): string[] =>
  files.some(({ name, content }) => isCode(name) && hasComputedRequire(content))
    ? files.map(({ name }) => name).filter(name => REQUIRABLE.test(name))
    : [];

/** Makes esbuild leave the calls as they are. The rest of the line is four columns further right in the source map. */
export const keepComputedRequires = (code: string): string => code.replace(SEARCHING, 'require.own');

/**
 * Builds a bundle whose computed requires reach only files that can be built. Others may be for other programs, such as a
 * browser, so they must not fail the build.
 *
 * @param names of all files that such calls can reach
 * @param build builds a bundle in which they reach these files
 * @param brokenFiles returns the names of the files with errors, or null if the build has succeeded
 */
export async function buildReachable<Result>(
  names: string[],
  build: (names: string[]) => Promise<Result>,
  brokenFiles: (result: Result) => readonly string[] | null,
): Promise<Result> {
  const result = await build(names);
  const broken = brokenFiles(result);
  if (broken === null || names.length === 0) return result;
  const rest = names.filter(name => !broken.includes(name));
  return buildReachable(rest.length < names.length && rest.includes('main.js') ? rest : [], build, brokenFiles);
}

/** Returns the code of the entry point: it gives the runner the files, then starts main.js. */
export function entryCode(names: readonly string[]): string {
  const files = names.map(name => `${JSON.stringify(name)}: () => require(${JSON.stringify(`./${name}`)})`);
  return `require.files = { __proto__: null, ${files.join(', ')} };\nmodule.exports = require('./main.js');\n`;
}

/**
 * Returns the identifiers to replace in the bundle. A file in a folder has its own `__dirname`, which the runner finds
 * out when the code reads it.
 */
export const ownPaths = (files: Files): Record<string, string> =>
  files.some(({ name, content }) => isCode(name) && name.includes('/') && /\b__(?:dir|file)name\b/.test(content))
    ? { __dirname: '__trawl_file.dirname', __filename: '__trawl_file.filename' }
    : {};
