import { posix } from 'node:path';
import type { BundleProblem } from '@trawl/contracts';
import { problem } from './bundle-problems.js';
import type { SkriptFiles } from './skript-files.js';

const FILE = 'tsconfig.json';
const PACKAGE_FILE = 'package.json';
/** A build reads at most so many configurations, however they extend each other. */
const MAX_CONFIGS = 50;
/** The options that change the JavaScript that esbuild makes of a file. */
const OPTIONS = [
  'experimentalDecorators',
  'jsx',
  'jsxFactory',
  'jsxFragmentFactory',
  'jsxImportSource',
  'useDefineForClassFields',
  'verbatimModuleSyntax',
];

/** Paths inside the skript for a name in imports. Each may have one `*`, as the name may. */
type Aliases = { name: string; paths: string[] }[];

/** The settings of a skript that matter for its build. */
export interface BuildSettings {
  /** `tsconfigRaw` of esbuild. */
  raw: { compilerOptions: Record<string, unknown> };
  /** Returns the paths that a name in an import may stand for, best first. */
  pathsOf(specifier: string): string[];
}

/**
 * Reads tsconfig.json, and the field `imports` of package.json. Both are optional.
 *
 * @returns the settings; or the problem if tsconfig.json cannot be read
 */
export async function readBuildSettings(files: SkriptFiles): Promise<BuildSettings | { problem: BundleProblem }> {
  const config = files.has(FILE) ? await readConfig(FILE, files, new Set()) : { options: {}, aliases: [], base: null };
  if ('problem' in config) return config;
  const aliases = [...config.aliases, ...importsOf(files.get(PACKAGE_FILE) ?? '{}')];
  const { options, base } = config;
  return {
    raw: {
      compilerOptions: Object.fromEntries(
        OPTIONS.flatMap(name => (isScalar(options[name]) ? [[name, options[name]]] : [])),
      ),
    },
    pathsOf: specifier =>
      /^\.{1,2}(\/|$)/.test(specifier)
        ? []
        : [...pathsFor(specifier, aliases), ...(base === null ? [] : [posix.join(base, specifier)])],
  };
}

/** esbuild reports other values of these options at places that no file of the skript has. */
const isScalar = (value: unknown): boolean => typeof value === 'string' || typeof value === 'boolean';

interface Config {
  options: Record<string, unknown>;
  aliases: Aliases;
  /** Folder to which names without `./` are relative, too; null if there is none. */
  base: string | null;
}

/** @param read names of the configurations that were read before; each is read once */
async function readConfig(
  name: string,
  files: SkriptFiles,
  read: Set<string>,
): Promise<Config | { problem: BundleProblem }> {
  read.add(name);
  // Its syntax is that of tsconfig.json and more: comments, and commas at the end.
  const { default: JSON5 } = await import('json5');
  let config: { extends?: unknown; compilerOptions?: Record<string, unknown> };
  try {
    config = Object(JSON5.parse(files.get(name) || '{}'));
  } catch (error) {
    const {
      lineNumber = 1,
      columnNumber = 1,
      message,
    } = error as Error & Record<'lineNumber' | 'columnNumber', number>;
    return { problem: { ...problem(message), file: name, line: lineNumber, column: columnNumber, line_text: '' } };
  }
  const folder = posix.dirname(name);
  const options = Object(config.compilerOptions);
  const base = typeof options.baseUrl === 'string' ? posix.join(folder, options.baseUrl) : null;
  const own: Config = { options, base, aliases: aliasesOf(options.paths, base ?? folder) };
  // Configurations from libraries are not read: runs do not need what they set.
  const parents = [config.extends].flat().filter(path => typeof path === 'string' && path.startsWith('.')) as string[];
  for (const path of parents.reverse()) {
    const target = posix.join(folder, path);
    const parentName = [target, `${target}.json`].find(each => files.has(each));
    if (parentName === undefined || read.has(parentName) || read.size === MAX_CONFIGS) continue;
    const parent = await readConfig(parentName, files, read);
    if ('problem' in parent) return parent;
    own.options = { ...parent.options, ...own.options };
    own.base ??= parent.base;
    if (own.aliases.length === 0) own.aliases = parent.aliases;
  }
  return own;
}

const aliasesOf = (paths: unknown, base: string): Aliases =>
  Object.entries(Object(paths)).map(([name, targets]) => ({
    name,
    paths: [targets].flat().flatMap(target => (typeof target === 'string' ? [posix.join(base, target)] : [])),
  }));

/** Reads the names that begin with `#`. */
function importsOf(packageFile: string): Aliases {
  try {
    const { imports } = Object(JSON.parse(packageFile));
    return Object.entries(Object(imports))
      .filter(([name]) => name.startsWith('#'))
      .map(([name, target]) => {
        const path = typeof target === 'string' ? target : targetFor(Object(target));
        return { name, paths: typeof path === 'string' && path.startsWith('./') ? [posix.join('.', path)] : [] };
      });
  } catch {
    // The build reports a faulty package.json where it reads the dependencies.
    return [];
  }
}

/** Returns the first target that counts for code in Node. */
const targetFor = (targets: Record<string, unknown>): unknown =>
  Object.entries(targets).find(([condition]) => ['node', 'import', 'require', 'default'].includes(condition))?.[1];

/** Returns the paths of the alias that fits best: the same name, else the one with the longest text before its `*`. */
function pathsFor(specifier: string, aliases: Aliases): string[] {
  const fitting = aliases.flatMap(({ name, paths }) => {
    const [before = '', after] = name.split('*');
    if (after === undefined) return name === specifier ? [{ rank: Number.POSITIVE_INFINITY, paths }] : [];
    if (specifier.length < before.length + after.length) return [];
    if (!specifier.startsWith(before) || !specifier.endsWith(after)) return [];
    const rest = specifier.slice(before.length, specifier.length - after.length);
    return [{ rank: before.length, paths: paths.map(path => path.replace('*', () => rest)) }];
  });
  return fitting.sort((one, other) => other.rank - one.rank)[0]?.paths ?? [];
}
