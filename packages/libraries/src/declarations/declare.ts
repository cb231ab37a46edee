import type Arborist from '@npmcli/arborist';
import pacote from 'pacote';
import { checkedLock, type Lock, nameIn, packagesOf } from '../lock.js';
import { failureOf, isTransient } from '../npm-failure.js';
import {
  DECLARATION_LIMITS,
  DeclarationCollector,
  type Declarations,
  type PackageTexts,
  TooManyDeclarations,
  typesNameOf,
} from './collect-declarations.js';
import { entryOf } from './package-entries.js';
import { readArchive, tooLarge } from './read-archive.js';

/** Archives that are read at the same time. */
const AT_ONCE = 6;

interface Wanted {
  wanted: Record<string, string>;
  types: Record<string, string>;
  packages: Record<string, unknown>;
}

/** Collects the declarations of libraries. `options` are npm's. */
export async function declare(
  { wanted, types, packages }: Wanted,
  options: Record<string, unknown>,
  Npm: typeof Arborist,
): Promise<Declarations> {
  const lock = checkedLock(packages);
  const libraries = Object.keys(wanted);
  const archives = new Archives(lock, options);
  const untyped = await withoutTypes(libraries, types, archives);
  const guessed = await inTurns(untyped, library => typesOf(library, lock, options));
  const leftOut: Record<string, string> = {};
  const named = await inTurns(Object.entries(types), ([name, range]) => versionOf(name, range, options, leftOut));
  const add = [...guessed, ...named].filter(spec => spec !== null);
  if (add.length > 0) archives.lock = await withPackages(add, options, Npm);
  const folders = new Set(packagesOf(archives.lock).map(([folder]) => folder));
  const collector = new DeclarationCollector(folders, folder => archives.read(folder));
  const all = [...new Set([...libraries, ...Object.keys(types)])].filter(name => !Object.hasOwn(leftOut, name));
  const collected = await collector.collect(all);
  return { ...collected, leftOut: { ...leftOut, ...collected.leftOut } };
}

/** Reads the archives of a lock, each once. */
class Archives {
  readonly #read = new Map<string, Promise<PackageTexts>>();
  #chars = 0;

  constructor(
    public lock: Lock,
    private readonly options: Record<string, unknown>,
  ) {}

  async read(folder: string): Promise<PackageTexts> {
    const entry = this.lock.packages[folder];
    // A package inside another package's archive has no archive of its own.
    if (!entry?.integrity) return new Map();
    const { version, integrity } = entry;
    const spec = `${nameIn(folder, entry)}@${version}`;
    const reading = this.#read.get(spec) ?? this.#readOnce(spec, integrity);
    this.#read.set(spec, reading);
    return reading;
  }

  async #readOnce(spec: string, integrity: string): Promise<PackageTexts> {
    if (this.#chars > DECLARATION_LIMITS.readChars) throw tooLarge();
    const texts = await readArchive(spec, { ...this.options, integrity });
    for (const text of texts.values()) this.#chars += text.length;
    return texts;
  }
}

/** Returns the libraries that have no declarations and for which package.json names no package of types. */
async function withoutTypes(
  libraries: readonly string[],
  types: Record<string, string>,
  archives: Archives,
): Promise<string[]> {
  const found = await inTurns(libraries, async library => {
    const typesName = typesNameOf(library);
    const isNamed = library.startsWith('@types/') || libraries.includes(typesName) || Object.hasOwn(types, typesName);
    const texts = isNamed ? null : await archives.read(`node_modules/${library}`).catch(ignoreSize);
    return texts && entryOf(texts, '') === null ? [library] : [];
  });
  return found.flat();
}

/** Finds the package of types for the major version of a library; null if there is none. */
async function typesOf(library: string, lock: Lock, options: Record<string, unknown>): Promise<string | null> {
  const folder = `node_modules/${library}`;
  const entry = lock.packages[folder];
  return entry
    ? versionOf(typesNameOf(nameIn(folder, entry)), String(Number.parseInt(entry.version, 10)), options)
    : null;
}

/**
 * Finds the newest version in a range.
 *
 * @param leftOut gets the reason if there is none
 * @returns name and exact version; null if there is none
 */
async function versionOf(
  name: string,
  range: string,
  options: Record<string, unknown>,
  leftOut: Record<string, string> = {},
): Promise<string | null> {
  try {
    const { version } = await pacote.manifest(`${name}@${range}`, options);
    return `${name}@${version}`;
  } catch (error) {
    const failure = failureOf(error);
    if (isTransient(failure)) throw error;
    leftOut[name] = failure.text;
    return null;
  }
}

/** Adds packages to the lock in npm's folder. All others keep their versions. */
async function withPackages(add: string[], options: Record<string, unknown>, Npm: typeof Arborist): Promise<Lock> {
  // A conflict of versions is no reason to have no types.
  const tree = await new Npm({ ...options, force: true }).buildIdealTree({ add });
  return checkedLock(tree.meta.commit().packages);
}

function ignoreSize(error: unknown): null {
  if (error instanceof TooManyDeclarations) return null;
  throw error;
}

async function inTurns<Item, Result>(items: readonly Item[], act: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...items.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await act(next[1]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}
