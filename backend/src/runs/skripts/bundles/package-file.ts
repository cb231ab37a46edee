import {
  type BundleProblem,
  DEFAULT_RUN_NODE,
  libraryAliases,
  libraryOfWorker,
  RUN_NODES,
  type RunNode,
} from '@trawl/contracts';
import { chooseNode, MAX_DEPENDENCIES, versionProblem } from '@trawl/libraries';
import type { SourceFile } from '../skript-contents.js';

const NAME = 'package.json';
/** Fields of package.json that npm uses for installing, but Trawl ignores. */
const IGNORED_FIELDS = [
  'optionalDependencies',
  'peerDependencies',
  'overrides',
  'resolutions',
  'bundleDependencies',
  'bundledDependencies',
  'workspaces',
];

/** `aliases` maps names of libraries to the modules that a run loads instead. `node` runs the skript. */
export type WantedLibraries =
  | { libraries: Record<string, string>; aliases: Record<string, string>; node: RunNode; warnings: BundleProblem[] }
  | { problems: BundleProblem[] };

/**
 * Reads the npm libraries and their version ranges from `dependencies` in package.json. A skript may have no such file.
 */
export function readPackageFile(files: SourceFile[]): WantedLibraries {
  const file = files.find(({ name }) => name === NAME);
  if (!file) return { libraries: {}, aliases: {}, node: DEFAULT_RUN_NODE, warnings: [] };
  let parsed: unknown;
  try {
    parsed = JSON.parse(file.content.replace(/^\uFEFF/, ''));
  } catch (error) {
    return {
      problems: [packageFileProblem(files, null, `package.json is not valid JSON: ${(error as Error).message}.`)],
    };
  }
  const { dependencies = {} } = isRecord(parsed) ? parsed : {};
  if (!isRecord(parsed) || !isRecord(dependencies)) {
    const message = 'package.json must be a JSON object, and its dependencies an object of names and versions.';
    return { problems: [packageFileProblem(files, null, message)] };
  }
  const wanted = Object.entries(dependencies).filter(([name, range]) => libraryOfWorker(name, range) === null);
  if (wanted.length > MAX_DEPENDENCIES) {
    const message = `package.json names ${wanted.length} libraries; the limit is ${MAX_DEPENDENCIES}.`;
    return { problems: [packageFileProblem(files, null, message)] };
  }
  const problems = wanted.flatMap(([name, range]) => {
    const message = versionProblem(name, range);
    return message === null ? [] : [packageFileProblem(files, name, message)];
  });
  if (problems.length > 0) return { problems };
  const unused = IGNORED_FIELDS.filter(field => Object.hasOwn(parsed, field));
  const warnings = unused.map(field =>
    packageFileProblem(files, field, `Trawl ignores ${field} in package.json; it installs only dependencies.`),
  );
  const libraries = Object.fromEntries(wanted) as Record<string, string>;
  const { node, warning } = nodeOf(parsed.engines);
  if (warning !== null) warnings.push(packageFileProblem(files, 'engines', warning));
  return { libraries, aliases: libraryAliases(dependencies), node, warnings };
}

/**
 * Reads the packages of types and their version ranges from `devDependencies` in package.json. Runs need none of them.
 */
export function readTypePackages(files: SourceFile[]): Record<string, string> {
  let named: unknown;
  try {
    named = JSON.parse(files.find(({ name }) => name === NAME)?.content ?? '{}').devDependencies;
  } catch {
    // The build reports it.
  }
  const types = Object.entries(isRecord(named) ? named : {}).filter(
    ([name, range]) => name.startsWith('@types/') && versionProblem(name, range) === null,
  );
  return Object.fromEntries(types.slice(0, MAX_DEPENDENCIES)) as Record<string, string>;
}

/** Chooses the newest version of Node that `engines` in package.json allows. */
function nodeOf(engines: unknown): { node: RunNode; warning: string | null } {
  const range = isRecord(engines) ? engines.node : engines;
  if (range === undefined || range === null) return { node: DEFAULT_RUN_NODE, warning: null };
  const version = typeof range === 'string' && isRecord(engines) ? chooseNode(range, Object.values(RUN_NODES)) : null;
  if (version !== null) return { node: version === RUN_NODES[22] ? 22 : 24, warning: null };
  const versions = Object.values(RUN_NODES).join(' or ');
  const warning = `Runs use Node ${versions}, and engines in package.json asks for ${JSON.stringify(typeof range === 'string' ? range.slice(0, 100) : range).slice(0, 102)}. This skript runs with Node ${RUN_NODES[DEFAULT_RUN_NODE]}; test it there, and change engines.`;
  return { node: DEFAULT_RUN_NODE, warning };
}

/**
 * Makes a problem at the line of package.json that names the library (such as `ms` or `ms@^9`). Without a library, the
 * problem is at the start of the file.
 */
export function packageFileProblem(files: SourceFile[], library: string | null, message: string): BundleProblem {
  const content = files.find(({ name }) => name === NAME)?.content ?? '';
  const name = library?.replace(/(?<=.)@.*$/, '');
  const dependencies = Math.max(0, content.indexOf('"dependencies"'));
  const named = name ? content.indexOf(`${JSON.stringify(name)}`, dependencies) : -1;
  const elsewhere = name && named < 0 ? content.indexOf(JSON.stringify(name)) : named;
  const before = content.slice(0, Math.max(0, elsewhere)).split('\n');
  const line = before.length;
  const column = (before.at(-1)?.length ?? 0) + 1;
  return { message, file: NAME, line, column, line_text: (content.split('\n')[line - 1] ?? '').slice(0, 500) };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
