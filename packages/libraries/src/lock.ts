import { createHash } from 'node:crypto';

/**
 * The fields of package-lock.json that an installation needs. Trawl drops the field `resolved`, so a lock contains no
 * addresses.
 */
const KEPT_FIELDS = [
  'name',
  'version',
  'integrity',
  'inBundle',
  'optional',
  'peer',
  'devOptional',
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'bundleDependencies',
  'hasInstallScript',
  'engines',
  'os',
  'cpu',
  'libc',
] as const;

/** One package, with the field names of package-lock.json. */
export interface LockedPackage {
  /** Name of the package. It is set only for an alias, whose folder has another name. */
  name?: string;
  version: string;
  /** Hash of the package's archive. It is missing only for a package inside another package's archive (`inBundle`). */
  integrity?: string;
  inBundle?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
}

/** A package-lock.json of version 3 without addresses: npm takes all packages from its configured registry. */
export interface Lock {
  lockfileVersion: 3;
  requires: true;
  /**
   * Packages by folder, such as `node_modules/a/node_modules/b`. The entry with the key `''` has the dependencies of
   * package.json, and the Node that they were chosen for, if it is not the default one.
   */
  packages: { '': { dependencies: Record<string, string>; engines?: { node: string } } } & Record<
    string,
    LockedPackage
  >;
}

const MAX_PACKAGES = 1_000;
/** Maximum size of a lock as text. */
export const LOCK_BYTES = 2 * 1024 * 1024;

const FOLDER =
  /^node_modules\/(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*(?:\/node_modules\/(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*)*$/;
const VERSION = /^\d+\.\d+\.\d+[\w.+-]*$/;
const INTEGRITY = /^sha(?:1|256|384|512)-[A-Za-z0-9+/]+=*(?: sha(?:1|256|384|512)-[A-Za-z0-9+/]+=*)*$/;

/** Thrown for a lock that Trawl cannot use. The message names the package and the reason. */
export class InvalidLockError extends Error {}

/**
 * Builds a lock from the packages of a lock that npm or Trawl made. It keeps only known fields and sorts the packages,
 * so that equal locks have the same text.
 *
 * @throws InvalidLockError for a package that is not from the registry, has no hash, or has a folder outside
 *   node_modules
 */
export function checkedLock(packages: unknown): Lock {
  if (!isRecord(packages)) throw new InvalidLockError('This is not a valid lock file of npm libraries.');
  const { '': root, ...others } = packages;
  const entries = Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length > MAX_PACKAGES) {
    throw new InvalidLockError(
      `These libraries and their dependencies are ${entries.length} packages; the limit is ${MAX_PACKAGES}.`,
    );
  }
  const wanted = isRecord(root) && isRecord(root.dependencies) ? root.dependencies : {};
  const dependencies = Object.fromEntries(
    Object.entries(wanted)
      .map(([name, range]) => [name, String(range)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const engines = isRecord(root) && isRecord(root.engines) ? { engines: { node: String(root.engines.node) } } : {};
  const checked = entries.map(([folder, entry]) => [folder, checkedPackage(folder, entry)] as const);
  return {
    lockfileVersion: 3,
    requires: true,
    packages: { '': { dependencies, ...engines }, ...Object.fromEntries(checked) },
  } as Lock;
}

/** @throws InvalidLockError as `checkedLock` does */
export function parseLock(text: string): Lock {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new InvalidLockError('This is not a valid lock file of npm libraries.');
  }
  return checkedLock(isRecord(parsed) ? parsed.packages : null);
}

/** Returns the text of a lock. Equal locks have the same text, so it is the input of `hashOfLock`. */
export const lockText = (lock: Lock): string => JSON.stringify(lock);

/** Returns the SHA-256 hash of a lock's text, in hex. */
export const hashOfLock = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the name that the package in this folder has in the registry. */
export const nameIn = (folder: string, { name }: { name?: string }): string =>
  name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Returns the packages of a lock, without its entry for package.json. */
export const packagesOf = (lock: Lock): [folder: string, entry: LockedPackage][] =>
  Object.entries(lock.packages).filter(([folder]) => folder !== '') as [string, LockedPackage][];

/**
 * Returns the names of all packages that have an install script, including optional packages for other systems. Trawl
 * never runs these scripts.
 */
export const packagesWithInstallScript = (lock: Lock): string[] => [
  ...new Set(
    packagesOf(lock)
      .filter(([, entry]) => entry.hasInstallScript)
      .map(([folder, entry]) => nameIn(folder, entry)),
  ),
];

function checkedPackage(folder: string, entry: unknown): LockedPackage {
  const shown = folder.slice(0, 300);
  if (!FOLDER.test(folder) || !isRecord(entry))
    throw new InvalidLockError(`${shown} is not a valid folder of a library.`);
  const name = nameIn(shown, { name: typeof entry.name === 'string' ? entry.name.slice(0, 300) : undefined });
  const { version, integrity, resolved, link } = entry;
  const isElsewhere = link === true || (typeof resolved === 'string' && !/^https?:/.test(resolved));
  if (isElsewhere || typeof version !== 'string' || !VERSION.test(version)) {
    throw new InvalidLockError(
      `${name} does not come from the npm registry; libraries of skripts and their dependencies must come from there.`,
    );
  }
  const isHashed = typeof integrity === 'string' && INTEGRITY.test(integrity);
  if (!isHashed && entry.inBundle !== true) {
    throw new InvalidLockError(
      `The npm registry gives no hash for ${name}@${version}, so Trawl cannot verify its content.`,
    );
  }
  return Object.fromEntries(
    KEPT_FIELDS.filter(field => entry[field] !== undefined).map(field => [field, entry[field]]),
  ) as unknown as LockedPackage;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
