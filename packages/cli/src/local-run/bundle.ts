import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import {
  BROWSER_LIBRARIES,
  buildReachable,
  COMPUTED_ENTRY,
  entryCode,
  isCode,
  keepComputedRequires,
  libraryAliases,
  ownPaths,
  type RunFile,
  requirableFiles,
} from '@trawl/contracts';
import type { BuildOptions, BuildResult, Message, Plugin } from 'esbuild';
import { Failure } from '../failure.js';
import { refuseLinksOut } from '../skript-folder/own-files.js';
import { readSkriptFolder } from '../skript-folder/read-folder.js';
import { readDependencies } from './dependencies.js';

export const BUNDLE = join('dist', 'mainBundle.js');
/** Name of the plugin, by which esbuild marks its warnings. */
const LIBRARIES = 'libraries';

export interface Bundle {
  /** CommonJS code with an inline source map. */
  code: string;
  warnings: string[];
  /** Warning at the first import of a library that needs a browser; null if there is none. */
  browserImport: string | null;
  /** Absolute paths of the files of code that a run needs only in the bundle. */
  files: string[];
}

/**
 * Bundles the files of a skript as the platform does: libraries stay outside, and files outside the folder cannot be
 * imported.
 */
export async function bundleSkript(folder: string): Promise<Bundle> {
  const { loaded, ...first } = await bundleWith([], {}, folder);
  const define = ownPaths(loaded);
  const isComputed = requirableFiles(loaded).length > 0;
  if (!isComputed && Object.keys(define).length === 0) return first;
  const files = isComputed ? [...(await readSkriptFolder(folder)).files] : [];
  const all = files.map(([name, content]) => ({ name, content }));
  const result = await buildReachable<Bundle | Failure>(
    requirableFiles(all),
    names => bundleWith(names, { ...define, ...ownPaths(all) }, folder).catch(failureOf),
    result =>
      result instanceof Failure ? [...result.message.matchAll(/^(.+?):\d+:\d+: /gm)].map(at => at[1] ?? '') : null,
  );
  if (result instanceof Failure) throw result;
  return { ...result, files: isComputed ? [] : result.files };
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/**
 * @param names of the files that computed requires can reach
 * @param define identifiers to replace
 * @returns the bundle, and the files of code that it has loaded
 */
async function bundleWith(
  names: readonly string[],
  define: Record<string, string>,
  folder: string,
): Promise<Bundle & { loaded: RunFile[] }> {
  const aliases = libraryAliases(await readDependencies(folder));
  const loaded: RunFile[] = [];
  const { outputFiles, warnings, metafile } = await build({
    ...(names.length > 0
      ? { stdin: { contents: entryCode(names), resolveDir: folder, sourcefile: COMPUTED_ENTRY } }
      : { entryPoints: [join(folder, 'main.js')] }),
    outfile: join(folder, BUNDLE),
    absWorkingDir: folder,
    format: 'cjs',
    packages: 'external',
    // A link counts under its own name, by which it is checked below.
    preserveSymlinks: true,
    plugins: [ownFilesOnly(folder), libraries(aliases), computedRequires(folder, loaded)],
    define,
    sourcemap: 'external',
    metafile: true,
  });
  const text = (extension: string) => outputFiles?.find(({ path }) => path.endsWith(extension))?.text ?? '';
  const inputs = Object.keys(metafile?.inputs ?? {}).map(name => join(folder, name));
  await refuseLinksOut(folder, inputs);
  const isOurs = ({ pluginName }: Message) => pluginName === LIBRARIES;
  return {
    code: `${text('.js')}${inlineMap(text('.map'), folder)}\n`,
    warnings: warnings.filter(warning => !isOurs(warning)).map(lineOf),
    browserImport: warnings.filter(isOurs).map(lineOf)[0] ?? null,
    files: inputs.filter(isCode),
    loaded,
  };
}

/** Returns whether the code of a finished bundle requires a library that needs a browser. */
export async function needsBrowser(code: string): Promise<boolean> {
  const { metafile } = await build({ stdin: { contents: code }, metafile: true, plugins: [NOTHING_ELSE] });
  const outputs = Object.values(metafile?.outputs ?? {});
  return outputs.some(({ imports }) => imports.some(({ path }) => isBrowserModule(path)));
}

/** Calls esbuild as the platform does. Writes no files. */
async function build(options: BuildOptions): Promise<BuildResult> {
  const esbuild = await import('esbuild');
  try {
    return await esbuild.build({
      bundle: true,
      write: false,
      platform: 'node',
      target: 'node22',
      charset: 'utf8',
      tsconfigRaw: '{}',
      logLevel: 'silent',
      ...options,
    });
  } catch (error) {
    const { errors } = error as { errors?: Message[] };
    if (!errors?.length) throw error;
    throw new Failure(`The skript cannot be bundled:\n${errors.map(lineOf).join('\n')}`);
  }
}

/** @param environment that of the manifest */
export const warningsOf = ({ warnings, browserImport }: Bundle, environment = 'nodejs'): string[] =>
  browserImport !== null && environment === 'nodejs' ? [...warnings, browserImport] : warnings;

/** Writes the bundle to its file in the folder, and returns the path. */
export async function writeBundle(folder: string, { code }: Bundle): Promise<string> {
  const path = join(folder, BUNDLE);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, code);
  return path;
}

function ownFilesOnly(folder: string): Plugin {
  return {
    name: 'own-files-only',
    setup(hooks) {
      hooks.onResolve({ filter: /^\.\.?([\\/]|$)|^[\\/]|^[a-z]:[\\/]/i }, ({ path, resolveDir, kind }) => {
        if (kind === 'entry-point') return null;
        const target = relative(folder, resolve(resolveDir, path));
        const isOutside = isAbsolute(path) || target === '..' || target.startsWith(`..${sep}`);
        if (!isOutside) return null;
        return { errors: [{ text: `${path} is outside the skript. A skript can import only its own files.` }] };
      });
    },
  };
}

const isBrowserModule = (path: string): boolean =>
  BROWSER_LIBRARIES.some(library => path === library || path.startsWith(`${library}/`));

const browserWarning = (library: string): string =>
  `${library} needs a browser, so this skript runs in the environment browser instead of nodejs. Set its environment to browser.`;

/** Leaves everything outside that a bundle requires. */
const NOTHING_ELSE: Plugin = {
  name: 'nothing-else',
  setup(hooks) {
    hooks.onResolve({ filter: /.*/ }, ({ kind, path }) => (kind === 'entry-point' ? null : { path, external: true }));
  },
};

/** Makes the bundle require other modules than the skript names, and warns of libraries that need a browser. */
function libraries(aliases: Record<string, string>): Plugin {
  return {
    name: LIBRARIES,
    setup(hooks) {
      hooks.onResolve({ filter: /^[^./]/ }, ({ path: name }) => {
        const path = (Object.hasOwn(aliases, name) && aliases[name]) || name;
        const warnings = isBrowserModule(path) ? [{ text: browserWarning(name) }] : [];
        return path === name && warnings.length === 0 ? null : { path, external: true, warnings };
      });
    },
  };
}

/** Keeps calls such as `require('./' + name)` for the run, instead of searching the disk. Adds each file to `loaded`. */
function computedRequires(folder: string, loaded: RunFile[]): Plugin {
  return {
    name: 'computed-requires',
    setup(hooks) {
      hooks.onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
        const content = await readFile(path, 'utf8');
        loaded.push({ name: relative(folder, path).replaceAll(sep, '/'), content });
        return { contents: keepComputedRequires(content) };
      });
    },
  };
}

/** Returns the source map as a comment. Its files are named as the user knows them: relative to the folder. */
function inlineMap(text: string, folder: string): string {
  const map = JSON.parse(text) as { sources: string[] };
  const base = dirname(join(folder, BUNDLE));
  const nameOf = (source: string) => relative(folder, resolve(base, source)).replaceAll(sep, '/');
  // The entry point is not the user's, so positions in it count as code of the bundler.
  map.sources = map.sources.map(nameOf).map(name => (name === COMPUTED_ENTRY ? '' : name));
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
}

function lineOf({ text, location }: Message): string {
  return location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : text;
}
