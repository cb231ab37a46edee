/**
 * The program of the child process that builds one bundle. It is a separate process because it reads untrusted code. It
 * reads one line of JSON (`BundleRequest`) from stdin, writes one line (`BundleResult`) to stdout and exits.
 *
 * The first bundle waits for its start, so it imports only the files of `@trawl/contracts` that it needs: the whole package
 * would load zod.
 */
import {
  buildReachable,
  COMPUTED_ENTRY,
  entryCode,
  isCode,
  keepComputedRequires,
  ownPaths,
  requirableFiles,
} from '@trawl/contracts/computed-requires';
import { build, type Message, type Plugin } from 'esbuild';
import type { BundleRequest, BundleResult } from './build-host/bundle-build.js';
import { resolveImport } from './bundle-files.js';
import { type BuildMessage, MAX_PROBLEMS, NAMESPACE, problem, TOO_LARGE, toProblem } from './bundle-problems.js';

import { disarmMapComments } from './source-map-comments.js';

/**
 * Makes esbuild use no files on the disk: this plugin resolves every import and loads every file from memory. Its only
 * warning is about the first import of a library that needs a browser.
 */
function filesOnly(files: Map<string, string>, { libraries, browserLibraries, aliases }: BundleRequest): Plugin {
  let hasWarned = false;
  return {
    name: 'skript',
    setup(hooks) {
      hooks.onResolve({ filter: /.*/ }, ({ kind, path, importer, with: attributes }) => {
        if (kind === 'entry-point') return { path, namespace: NAMESPACE };
        if (attributes.type !== undefined && attributes.type !== 'json') {
          return {
            errors: [
              {
                text: `Skripts cannot import with { type: ${JSON.stringify(attributes.type)} }; only { type: "json" } works.`,
              },
            ],
          };
        }
        const resolution = resolveImport(path, importer, files, libraries);
        if ('problem' in resolution) return { errors: [{ text: resolution.problem }] };
        if ('external' in resolution) {
          const name = resolution.external;
          const path = (Object.hasOwn(aliases, name) && aliases[name]) || name;
          const needsBrowser = browserLibraries.some(library => path === library || path.startsWith(`${library}/`));
          if (hasWarned || !needsBrowser) return { path, external: true };
          hasWarned = true;
          return { path, external: true, warnings: [{ text: browserWarning(name) }] };
        }
        return { path: resolution.file, namespace: NAMESPACE };
      });
      hooks.onLoad({ filter: /.*/ }, ({ path }) => {
        const contents = keepComputedRequires(disarmMapComments(files.get(path) ?? ''));
        return { contents, loader: path.endsWith('.json') ? 'json' : 'js', resolveDir: nowhere(contents) };
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

const bundle = (request: BundleRequest): Promise<BundleResult> =>
  buildReachable(
    requirableFiles(request.files),
    names => bundleWith(names, request),
    result => ('problems' in result ? result.problems.map(({ file }) => file ?? '') : null),
  );

/** @param names of the files that computed requires can reach. */
async function bundleWith(names: string[], request: BundleRequest): Promise<BundleResult> {
  const files = new Map(request.files.map(({ name, content }) => [name, content]));
  if (names.length > 0) files.set(COMPUTED_ENTRY, entryCode(names));
  const toProblems = (messages: Message[]) =>
    messages.slice(0, MAX_PROBLEMS).map((message: BuildMessage) => toProblem(message, files));
  try {
    const { outputFiles, metafile, warnings } = await build({
      entryPoints: [names.length > 0 ? COMPUTED_ENTRY : 'main.js'],
      define: ownPaths(request.files),
      plugins: [filesOnly(files, request)],
      bundle: true,
      write: false,
      format: 'cjs',
      platform: 'node',
      target: 'node22',
      charset: 'utf8',
      sourcemap: 'external',
      metafile: true,
      outfile: '/main.js',
      absWorkingDir: '/',
      tsconfigRaw: '{}',
      logLevel: 'silent',
      logLimit: MAX_PROBLEMS,
      // With this footer, the bundle's hash changes when any file of the skript changes, even one that main.js does not
      // import.
      footer: { js: `// files sha256:${request.filesDigest}` },
    });
    const text = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
    const isOurs = ({ pluginName }: Message) => pluginName !== '';
    return {
      code: `${text('.js')}${inlineMap(text('.map'), files)}\n`,
      // A computed path is often one of a list of the files in a folder, so that folder must have them all.
      bundled: names.length > 0 ? [] : Object.keys(metafile.inputs).map(withoutNamespace).filter(isCode),
      warnings: toProblems(warnings.filter(warning => !isOurs(warning))),
      browserImport: toProblems(warnings.filter(isOurs))[0] ?? null,
    };
  } catch (error) {
    const messages = (error as { errors?: Message[] }).errors;
    // An error without messages means that esbuild's process died.
    return { problems: messages?.length ? toProblems(messages) : [problem(TOO_LARGE)] };
  }
}

/** Removes the prefix that esbuild puts before the names of the skript's files. */
const withoutNamespace = (path: string): string => path.replace(new RegExp(`^${NAMESPACE}:`), '');

/** Changes the source map to name the user's files and contain their original content, and returns it as a comment. */
function inlineMap(text: string, files: Map<string, string>): string {
  const map = JSON.parse(text) as { sources: string[]; sourcesContent: (string | null)[] };
  // The entry point is not the user's, so positions in it count as code of the bundler.
  map.sources = map.sources.map(withoutNamespace).map(source => (source === COMPUTED_ENTRY ? '' : source));
  map.sourcesContent = map.sources.map(source => files.get(source) ?? null);
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
}

async function main(): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  if (chunks.length === 0) return; // The build host has ended.
  const request = JSON.parse(Buffer.concat(chunks).toString()) as BundleRequest;
  // The backend also kills builds that hang. This timer ends the process even if the backend is gone.
  setTimeout(() => process.exit(1), request.timeLimitMs).unref();
  const result = await bundle(request);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

void main();
