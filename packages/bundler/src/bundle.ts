import { type BundleProblem, usesBrowserCrawler } from '@trawl/contracts';
import { isCode } from '@trawl/contracts/main-file';
import { build, type Message, type Plugin } from 'esbuild';
import { type BuildMessage, MAX_PROBLEMS, NAMESPACE, problem, TOO_LARGE, toProblem } from './bundle-problems.js';
import { loaderOf } from './code-files.js';
import {
  buildReachable,
  COMPUTED_FILES,
  filesCode,
  keepComputedRequires,
  ownPaths,
  requirableFiles,
} from './computed-requires.js';
import { resolveImport } from './resolve-import.js';
import type { SkriptFiles } from './skript-files.js';
import { disarmMapComments } from './source-map-comments.js';
import { type BuildSettings, readBuildSettings } from './tsconfig.js';

export interface BundleOptions {
  files: SkriptFiles;
  /** The file in which a run starts. */
  main: string;
  /** Modules that are available during the run, including their subpaths. */
  libraries: readonly string[];
  /** Libraries that need a browser. The build warns at the first import of one of them. */
  browserLibraries: readonly string[];
  /** Maps names of libraries to the modules that the bundle requires instead. */
  aliases: Record<string, string>;
  /** Comment at the end of the code. */
  footer: string;
  /** URL of the folder with the files, for programs that read the source map. */
  sourceRoot?: string;
}

/**
 * `bundled` has the names of the files of code that the bundle replaces in the run's folder. `browserImport` is a warning
 * at the first import of a library that needs a browser; null if there is none.
 */
export type BundleResult =
  | { code: string; bundled: string[]; warnings: BundleProblem[]; browserImport: BundleProblem | null }
  | { problems: BundleProblem[] };

/** The entry point, which is not a file of the skript. */
const ENTRY = '<entry>';
/** Files whose names do not exist in the source map, because no user wrote them. */
const OURS = [ENTRY, COMPUTED_FILES];
/** Namespace of libraries in bundles of ES modules. */
const LIBRARY = 'library';
/**
 * In esbuild's function for imports by `.mjs` and `.mts`: the default import is all that `require` returns, as in Node. In
 * a run, `require` also returns ES modules, whose default import is their default export.
 */
const IN_NODE_MODE = 'isNodeMode || !mod || !mod.__esModule ?';
const IN_NODE_MODE_UNLESS_ES_MODULE =
  'isNodeMode && mod?.[Symbol.toStringTag] !== "Module" || !mod || !mod.__esModule ?';

/** Matches the messages about `await` outside a function, which CommonJS cannot have. */
const TOP_LEVEL_AWAIT = /top-level await/i;

/**
 * Builds the bundle of a skript: CommonJS code with an inline source map. Reads no file from the disk.
 *
 * If a file of the skript has `await` outside a function, the code exports the promise of what main.js exports.
 */
export async function bundleFiles(options: BundleOptions): Promise<BundleResult> {
  const settings = await readBuildSettings(options.files);
  if ('problem' in settings) return { problems: [settings.problem] };
  const build = { ...options, settings };
  return buildReachable(
    requirableFiles(options.files),
    options.main,
    async names => {
      const result = await bundleWith(names, 'cjs', build);
      return 'hasAwait' in result ? (bundleWith(names, 'esm', build) as Promise<BundleResult>) : result;
    },
    result => ('problems' in result ? result.problems.map(({ file }) => file ?? '') : null),
  );
}

/**
 * @param names of the files that computed requires can reach
 * @param format `esm` allows `await` outside functions
 */
async function bundleWith(
  names: string[],
  format: 'cjs' | 'esm',
  options: BundleOptions & { settings: BuildSettings },
): Promise<BundleResult | { hasAwait: true }> {
  const { files, main, settings, footer, sourceRoot } = options;
  const hasEntry = format === 'esm' || names.length > 0;
  const ours = new Map([
    [ENTRY, entryCode(main, names.length > 0, format)],
    [COMPUTED_FILES, filesCode(names)],
  ]);
  const toProblems = (messages: Message[]) =>
    messages.slice(0, MAX_PROBLEMS).map((message: BuildMessage) => toProblem(message, files));
  try {
    const { outputFiles, metafile, warnings } = await build({
      entryPoints: [hasEntry ? ENTRY : main],
      define: ownPaths(files),
      plugins: [filesOnly(ours, format, options)],
      bundle: true,
      write: false,
      format,
      platform: 'node',
      target: 'node22',
      charset: 'utf8',
      sourcemap: 'external',
      metafile: true,
      outfile: '/main.js',
      absWorkingDir: '/',
      tsconfigRaw: settings.raw as never,
      logLevel: 'silent',
      logLimit: MAX_PROBLEMS,
    });
    const text = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
    const isOurs = ({ pluginName }: Message) => pluginName !== '';
    const built = text('.js').replace(IN_NODE_MODE, IN_NODE_MODE_UNLESS_ES_MODULE);
    const code = format === 'esm' ? AWAITED.before + built + AWAITED.after : built;
    // The runner reads the name of the file. It must follow all code of the skript.
    const comments = [footer, ...(main === 'main.js' ? [] : [`// main ${main}`])].join('\n');
    return {
      code: `${code}${comments}\n${inlineMap(text('.map'), files, format === 'esm' ? AWAITED.lines : 0, sourceRoot)}\n`,
      // A computed path is often one of a list of the files in a folder, so that folder must have them all.
      bundled:
        names.length > 0
          ? []
          : Object.keys(metafile.inputs)
              .map(withoutNamespace)
              .filter(name => files.has(name) && isCode(name)),
      warnings: toProblems(warnings.filter(warning => !isOurs(warning))),
      browserImport: toProblems(warnings.filter(isOurs))[0] ?? null,
    };
  } catch (error) {
    const messages = (error as { errors?: Message[] }).errors;
    // An error without messages means that esbuild's process died.
    if (!messages?.length) return { problems: [problem(TOO_LARGE)] };
    if (format === 'cjs' && messages.some(({ text }) => TOP_LEVEL_AWAIT.test(text))) return { hasAwait: true };
    return { problems: toProblems(messages) };
  }
}

/** Returns the code of the entry point: it gives the runner the files of computed requires, then starts the skript. */
function entryCode(main: string, hasComputed: boolean, format: 'cjs' | 'esm'): string {
  const path = JSON.stringify(`./${main}`);
  const computed = hasComputed ? JSON.stringify(COMPUTED_FILES) : null;
  return format === 'cjs'
    ? `${computed === null ? '' : `require(${computed});\n`}module.exports = require(${path});\n`
    : `${computed === null ? '' : `import ${computed};\n`}import * as main from ${path};\n__trawl_main = main;\n`;
}

/** The function around a bundle of ES modules. Its code has no imports and no exports left. */
const AWAITED = {
  before: 'module.exports = (async () => { let __trawl_main;\n',
  after: 'return __trawl_main;\n})();\n',
  lines: 1,
};

/**
 * Makes esbuild use no files on the disk: this plugin resolves every import and loads every file from memory. Its only
 * warning is about the first import of a library that needs a browser.
 */
function filesOnly(
  ours: Map<string, string>,
  format: 'cjs' | 'esm',
  { files, libraries, browserLibraries, aliases, settings }: BundleOptions & { settings: BuildSettings },
): Plugin {
  let hasWarned = false;
  return {
    name: 'skript',
    setup(hooks) {
      hooks.onResolve({ filter: /.*/ }, ({ kind, path, importer, namespace, with: attributes }) => {
        if (kind === 'entry-point' || ours.has(path)) return { path, namespace: NAMESPACE };
        if (namespace === LIBRARY) return { path, external: true };
        if (attributes.type !== undefined && attributes.type !== 'json') {
          return {
            errors: [
              {
                text: `Skripts cannot import with { type: ${JSON.stringify(attributes.type)} }; only { type: "json" } works.`,
              },
            ],
          };
        }
        const resolution = resolveImport(path, importer, { files, libraries, pathsOf: settings.pathsOf });
        if ('problem' in resolution) return { errors: [{ text: resolution.problem }] };
        if ('file' in resolution) return { path: resolution.file, namespace: NAMESPACE };
        const name = resolution.external;
        const target = (Object.hasOwn(aliases, name) && aliases[name]) || name;
        const needsBrowser =
          browserLibraries.some(library => target === library || target.startsWith(`${library}/`)) ||
          usesBrowserCrawler(target, files.get(importer) ?? '');
        const warnings = needsBrowser && !hasWarned ? [{ text: browserWarning(name) }] : [];
        hasWarned ||= needsBrowser;
        // The function around a bundle of ES modules has no `import` statements, so it must require the library.
        return format === 'esm' && kind === 'import-statement'
          ? { path: target, namespace: LIBRARY, warnings }
          : { path: target, external: true, warnings };
      });
      hooks.onLoad({ filter: /.*/, namespace: LIBRARY }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(path)});`,
      }));
      hooks.onLoad({ filter: /.*/ }, ({ path }) => {
        const contents = keepComputedRequires(disarmMapComments(ours.get(path) ?? files.get(path) ?? ''));
        return { contents, loader: loaderOf(path) ?? 'js', resolveDir: nowhere(contents) };
      });
    },
  };
}

const browserWarning = (library: string): string =>
  `${library} needs a browser, so this skript runs in the environment browser instead of nodejs. Set its environment to browser.`;

/**
 * Returns the path of a folder that does not exist. For `import('./' + name + '.js')`, the only import that plugins
 * never see, esbuild lists a folder on the disk, relative to this path. The path is so deep that no `../` in the file
 * can climb out of it.
 */
const nowhere = (contents: string): string => `/no-such-folder${'/x'.repeat(Math.ceil(contents.length / 3) + 1)}`;

/** Removes the prefix that esbuild puts before the names of the skript's files. */
const withoutNamespace = (path: string): string => path.replace(new RegExp(`^${NAMESPACE}:`), '');

/**
 * Changes the source map to name the user's files and contain their original content, and returns it as a comment.
 * @param lines number of lines before the code of the map
 */
function inlineMap(text: string, files: SkriptFiles, lines: number, sourceRoot?: string): string {
  const map = { ...JSON.parse(text), sourceRoot } as {
    sources: string[];
    sourcesContent: (string | null)[];
    mappings: string;
  };
  // Positions in files that the user did not write count as code of the bundler.
  map.sources = map.sources
    .map(withoutNamespace)
    .map(source => (OURS.includes(source) || !files.has(source) ? '' : source));
  map.sourcesContent = map.sources.map(source => files.get(source) ?? null);
  map.mappings = ';'.repeat(lines) + map.mappings;
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
}
