import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BundleResult, bundleFiles } from '@trawl/bundler';
import {
  BROWSER_LIBRARIES,
  type BundleProblem,
  LIBRARIES_OF_RUNS,
  libraryAliases,
  mainFilesIn,
  severalMainFiles,
  usesBrowserCrawler,
} from '@trawl/contracts';
import type { Plugin } from 'esbuild';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { MANIFEST } from '../skript-folder/names.js';
import { readSkriptFolder } from '../skript-folder/read-folder.js';
import { readDependencies } from './dependencies.js';

export const BUNDLE = join('dist', 'mainBundle.js');

export interface Bundle {
  /** CommonJS code with an inline source map. */
  code: string;
  warnings: string[];
  /** Warning at the first import of a library that needs a browser; null if there is none. */
  browserImport: string | null;
  /** Absolute paths of the files of code that a run needs only in the bundle. */
  files: string[];
}

/** The files of a skript that an upload would send, and its dependencies. */
export interface Sources {
  folder: string;
  files: Map<string, string>;
  dependencies: Record<string, unknown>;
  links: string[];
}

export async function readSources(folder: string): Promise<Sources> {
  const dependencies = await readDependencies(folder);
  const { files: own, inputs, skipped } = await readSkriptFolder(folder);
  const files = new Map([...own, [MANIFEST, await readFile(join(folder, MANIFEST), 'utf8')], ...inputs]);
  return { folder, files, dependencies, links: skipped.filter(name => name.endsWith('(a link)')) };
}

/** Bundles a skript as the platform does. */
export async function bundleSkript(folder: string): Promise<Bundle> {
  const sources = await readSources(folder);
  const [main, ...others] = mainFilesIn(sources.files.keys());
  if (main === undefined) throw new Failure(`${folder} has no main.js, where a run starts.`, EXIT.notFound);
  if (others.length > 0) throw new Failure(severalMainFiles([main, ...others]));
  const { code, bundled, warnings, browserImport } = await bundleFile(sources, main, 'The skript');
  return {
    code,
    warnings: warnings.map(lineOf),
    browserImport: browserImport && lineOf(browserImport),
    files: bundled.map(name => join(folder, name)),
  };
}

/**
 * Bundles a file of a skript with what it imports.
 *
 * @param shown names the file in errors
 * @param testLibraries that only tests have
 */
export async function bundleFile(
  { folder, files, dependencies, links }: Sources,
  main: string,
  shown: string,
  testLibraries: readonly string[] = [],
): Promise<Exclude<BundleResult, { problems: unknown }>> {
  const libraries = [...Object.keys(dependencies), ...LIBRARIES_OF_RUNS, ...testLibraries];
  const result = await bundleFiles({
    files,
    main,
    libraries: [...new Set(libraries)],
    browserLibraries: BROWSER_LIBRARIES,
    aliases: libraryAliases(dependencies),
    footer: '',
    sourceRoot: testLibraries.length > 0 ? `${pathToFileURL(folder)}/` : undefined,
  });
  if (!('problems' in result)) return result;
  const lines = result.problems.map(lineOf);
  if (links.length > 0) lines.push(`These are not part of the skript: ${links.join(', ')}.`);
  throw new Failure(`${shown} cannot be bundled:\n${lines.join('\n')}`);
}

/** Returns whether the code of a finished bundle requires a library that needs a browser. */
export async function needsBrowser(code: string): Promise<boolean> {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    stdin: { contents: code },
    bundle: true,
    write: false,
    platform: 'node',
    tsconfigRaw: '{}',
    logLevel: 'silent',
    metafile: true,
    plugins: [NOTHING_ELSE],
  });
  const outputs = Object.values(metafile.outputs);
  return outputs.some(({ imports }) =>
    imports.some(({ path }) => isBrowserModule(path) || usesBrowserCrawler(path, code)),
  );
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

const isBrowserModule = (path: string): boolean =>
  BROWSER_LIBRARIES.some(library => path === library || path.startsWith(`${library}/`));

/** Leaves everything outside that a bundle requires. */
const NOTHING_ELSE: Plugin = {
  name: 'nothing-else',
  setup(hooks) {
    hooks.onResolve({ filter: /.*/ }, ({ kind, path }) => (kind === 'entry-point' ? null : { path, external: true }));
  },
};

const lineOf = ({ message, file, line, column }: BundleProblem): string =>
  file === null ? message : `${file}:${line}:${column}: ${message}`;
