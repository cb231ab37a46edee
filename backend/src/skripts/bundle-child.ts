/**
 * A process of its own for one build, because what it reads was written by strangers. It reads one line of JSON
 * (`BundleRequest`) from standard input, writes one line (`BundleResult`) to standard output and ends.
 */
import { build, type Message, type Plugin } from 'esbuild';
import { resolveImport } from './bundle-files.js';
import { type BuildMessage, MAX_PROBLEMS, NAMESPACE, problem, TOO_LARGE, toProblem } from './bundle-problems.js';
import type { BundleRequest, BundleResult } from './bundler.service.js';
import { withoutMapComments } from './map-comments.js';

/** esbuild never looks at the disk: every import is answered here, and every file comes from memory. */
function filesOnly(files: Map<string, string>, libraries: readonly string[]): Plugin {
  return {
    name: 'skript',
    setup(hooks) {
      hooks.onResolve({ filter: /.*/ }, ({ kind, path, importer, with: attributes }) => {
        if (kind === 'entry-point') return { path, namespace: NAMESPACE };
        if (attributes.type !== undefined && attributes.type !== 'json') {
          return {
            errors: [
              { text: `An import with { type: ${JSON.stringify(attributes.type)} } is not possible in a skript.` },
            ],
          };
        }
        const resolution = resolveImport(path, importer, files, libraries);
        if ('problem' in resolution) return { errors: [{ text: resolution.problem }] };
        if ('external' in resolution) return { path: resolution.external, external: true };
        return { path: resolution.file, namespace: NAMESPACE };
      });
      hooks.onLoad({ filter: /.*/ }, ({ path }) => {
        const contents = withoutMapComments(files.get(path) ?? '');
        return { contents, loader: path.endsWith('.json') ? 'json' : 'js', resolveDir: nowhere(contents) };
      });
    },
  };
}

/**
 * `require('./' + name + '.js')` is the one import that no plugin is asked about: esbuild lists the folder on the disk.
 * So the folder that a file seems to be in does not exist, and is deeper than any number of `../` in the file can climb.
 */
const nowhere = (contents: string): string => `/no-such-folder${'/x'.repeat(Math.ceil(contents.length / 3) + 1)}`;

async function bundle({ files: list, libraries, filesDigest }: BundleRequest): Promise<BundleResult> {
  const files = new Map(list.map(({ name, content }) => [name, content]));
  const toProblems = (messages: Message[]) =>
    messages.slice(0, MAX_PROBLEMS).map((message: BuildMessage) => toProblem(message, files));
  try {
    const { outputFiles, warnings } = await build({
      entryPoints: ['main.js'],
      plugins: [filesOnly(files, libraries)],
      bundle: true,
      write: false,
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      charset: 'utf8',
      sourcemap: 'external',
      outfile: '/main.js',
      absWorkingDir: '/',
      tsconfigRaw: '{}',
      logLevel: 'silent',
      logLimit: MAX_PROBLEMS,
      // Makes the code, and with it the hash, differ when any file of the skript does: a hash stands for all of them.
      footer: { js: `// files sha256:${filesDigest}` },
    });
    const text = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
    return { code: `${text('.js')}${inlineMap(text('.map'), files)}\n`, warnings: toProblems(warnings) };
  } catch (error) {
    const messages = (error as { errors?: Message[] }).errors;
    // Without a message esbuild's own process has ended.
    return { problems: messages?.length ? toProblems(messages) : [problem(TOO_LARGE)] };
  }
}

/** The sources are named, and their content is, exactly as the user's files. */
function inlineMap(text: string, files: Map<string, string>): string {
  const map = JSON.parse(text) as { sources: string[]; sourcesContent: (string | null)[] };
  map.sources = map.sources.map(source => source.replace(new RegExp(`^${NAMESPACE}:`), ''));
  map.sourcesContent = map.sources.map(source => files.get(source) ?? null);
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
}

async function main(): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const request = JSON.parse(Buffer.concat(chunks).toString()) as BundleRequest;
  // Whoever asked may be gone; a build that hangs then still ends.
  setTimeout(() => process.exit(1), request.timeLimitMs).unref();
  const result = await bundle(request);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

void main();
