import { posix } from 'node:path';

type Texts = ReadonlyMap<string, string>;

/** Conditions in `exports` that the editor looks for. It resolves as `require` does; see `CodeService`. */
const CONDITIONS = new Set(['types', 'require', 'node', 'default']);
const OTHERWISE = new Set([...CONDITIONS, 'import']);
const DECLARATION = /\.d\.[cm]?ts$/;

export const isDeclaration = (path: string): boolean => DECLARATION.test(path);

/** Returns the path of the declarations for a path in `package.json` or an import; null if the package has none. */
export function declarationIn(texts: Texts, wanted: string): string | null {
  const path = posix.normalize(wanted).replace(/\/$/, '');
  if (path === '..' || path.startsWith('../') || posix.isAbsolute(path)) return null;
  const candidates = [
    ...(DECLARATION.test(path) ? [path] : []),
    path.replace(/\.([cm]?)[jt]sx?$/, '.d.$1ts'),
    ...['.d.ts', '.d.cts', '.d.mts'].map(ending => path + ending),
  ];
  const found = candidates.find(each => DECLARATION.test(each) && texts.has(each));
  if (found !== undefined) return found;
  // A folder of the package may have a package.json of its own.
  const { types, typings, main } = path === '.' ? {} : manifestIn(texts, path);
  const named = [types, typings, main].filter(each => typeof each === 'string' && each !== '.');
  for (const each of named) {
    const inFolder = declarationIn(texts, posix.join(path, String(each)));
    if (inFolder !== null) return inFolder;
  }
  return (
    ['d.ts', 'd.cts', 'd.mts'].map(ending => posix.join(path, `index.${ending}`)).find(each => texts.has(each)) ?? null
  );
}

/** Returns the path of the declarations for `import 'library/part'`, or without a part for `import 'library'`. */
export function entryOf(texts: Texts, part: string): string | null {
  const { exports, types, typings, main } = manifestIn(texts, '');
  const exported = part === '' && !hasParts(exports) ? exports : Object(exports)[part === '' ? '.' : `./${part}`];
  const named = part === '' ? [types, typings, main, '.'] : [part];
  const targets = [targetOf(exported, CONDITIONS), targetOf(exported, OTHERWISE), ...named];
  for (const target of targets) {
    const found = typeof target === 'string' ? declarationIn(texts, target) : null;
    if (found !== null) return found;
  }
  return null;
}

/** Returns the parts of a library that code may import: those in `exports`, or else all files. */
export function subpathsOf(texts: Texts): string[] {
  const { exports } = manifestIn(texts, '');
  const keys = hasParts(exports) ? Object.keys(Object(exports)) : [];
  const hasPattern = keys.some(key => key.includes('*') && targetOf(Object(exports)[key], OTHERWISE) !== null);
  if (exports !== undefined && !hasPattern) return keys.map(key => key.slice(2)).filter(part => part !== '');
  return [...texts.keys()].filter(isDeclaration);
}

function manifestIn(texts: Texts, folder: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(texts.get(posix.join(folder, 'package.json')) ?? '{}'));
  } catch {
    return {};
  }
}

/** Tells whether `exports` maps parts of the library, and not only the conditions of its one entry. */
const hasParts = (exports: unknown): boolean => Object.keys(Object(exports)).some(key => key.startsWith('.'));

/** Returns the first file that the conditions lead to. */
function targetOf(exported: unknown, conditions: ReadonlySet<string>, depth = 0): string | null {
  if (typeof exported === 'string') return exported;
  if (typeof exported !== 'object' || exported === null || depth > 9) return null;
  const options = Array.isArray(exported)
    ? exported
    : Object.entries(exported)
        .filter(([condition]) => conditions.has(condition))
        .map(([, target]) => target);
  for (const option of options) {
    const found = targetOf(option, conditions, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
