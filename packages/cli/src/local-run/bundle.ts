import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { BROWSER_LIBRARIES, libraryAliases } from '@trawl/contracts';
import type { BuildOptions, BuildResult, Message, Plugin } from 'esbuild';
import { Failure } from '../failure.js';
import { readDependencies } from './dependencies.js';
import { refuseLinksOut } from './own-files.js';

export const BUNDLE = join('dist', 'mainBundle.js');
/** Name of the plugin, by which esbuild marks its warnings. */
const LIBRARIES = 'libraries';

export interface Bundle {
  /** CommonJS code with an inline source map. */
  code: string;
  warnings: string[];
  /** Warning at the first import of a library that needs a browser; null if there is none. */
  browserImport: string | null;
  /** Absolute paths of the skript's files that the code is from. */
  files: string[];
}

/**
 * Bundles the files of a skript as the platform does: libraries stay outside, and files outside the folder cannot be
 * imported.
 */
export async function bundleSkript(folder: string): Promise<Bundle> {
  const aliases = libraryAliases(await readDependencies(folder));
  const { outputFiles, warnings, metafile } = await build({
    entryPoints: [join(folder, 'main.js')],
    outfile: join(folder, BUNDLE),
    absWorkingDir: folder,
    format: 'cjs',
    packages: 'external',
    // A link counts under its own name, by which it is checked below.
    preserveSymlinks: true,
    plugins: [ownFilesOnly(folder), libraries(aliases)],
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
    files: inputs,
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
      target: 'node20',
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

/** Returns the source map as a comment. Its files are named as the user knows them: relative to the folder. */
function inlineMap(text: string, folder: string): string {
  const map = JSON.parse(text) as { sources: string[] };
  const base = dirname(join(folder, BUNDLE));
  map.sources = map.sources.map(source => relative(folder, resolve(base, source)).replaceAll(sep, '/'));
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
}

function lineOf({ text, location }: Message): string {
  return location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : text;
}
