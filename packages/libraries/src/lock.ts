import { createHash } from 'node:crypto';

/** What is kept of a package in a package-lock.json: what an installation needs, and no address to fetch it from. */
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

/** One package, by the names of package-lock.json. */
export interface LockedPackage {
  /** Only where it differs from the folder's: an alias. */
  name?: string;
  version: string;
  /** Missing only of what comes inside of another package's archive (`inBundle`). */
  integrity?: string;
  inBundle?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
}

/** A package-lock.json of version 3 without addresses: everything comes from the registry that npm is set up with. */
export interface Lock {
  lockfileVersion: 3;
  requires: true;
  /** By their folders, such as `node_modules/a/node_modules/b`. The first, `''`, is what package.json asks for. */
  packages: { '': { dependencies: Record<string, string> } } & Record<string, LockedPackage>;
}

const MAX_PACKAGES = 1_000;
/** Of a lock as text. */
export const LOCK_BYTES = 2 * 1024 * 1024;

const FOLDER =
  /^node_modules\/(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*(?:\/node_modules\/(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*)*$/;
const VERSION = /^\d+\.\d+\.\d+[\w.+-]*$/;
const INTEGRITY = /^sha(?:1|256|384|512)-[A-Za-z0-9+/]+=*(?: sha(?:1|256|384|512)-[A-Za-z0-9+/]+=*)*$/;

/** The lock cannot be used. The message names the package and says why. */
export class LockRefused extends Error {}

/**
 * A lock out of what npm wrote, or out of a lock's own text: only what is known is taken, in one order.
 *
 * @throws LockRefused for a package that is not from the registry, has no hash, or would stand outside of node_modules.
 */
export function checkedLock(packages: unknown): Lock {
  if (!isRecord(packages)) throw new LockRefused('This is no lock of npm libraries.');
  const { '': root, ...others } = packages;
  const entries = Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length > MAX_PACKAGES) {
    throw new LockRefused(
      `With all that they need themselves these libraries are ${entries.length} packages; a skript may have ${MAX_PACKAGES}.`,
    );
  }
  const wanted = isRecord(root) && isRecord(root.dependencies) ? root.dependencies : {};
  const dependencies = Object.fromEntries(
    Object.entries(wanted)
      .map(([name, range]) => [name, String(range)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const checked = entries.map(([folder, entry]) => [folder, checkedPackage(folder, entry)] as const);
  return {
    lockfileVersion: 3,
    requires: true,
    packages: { '': { dependencies }, ...Object.fromEntries(checked) },
  } as Lock;
}

/** @throws LockRefused as `checkedLock` does. */
export function parseLock(text: string): Lock {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new LockRefused('This is no lock of npm libraries.');
  }
  return checkedLock(isRecord(parsed) ? parsed.packages : null);
}

/** The one text of a lock, from which its hash is. */
export const lockText = (lock: Lock): string => JSON.stringify(lock);

/** SHA-256, in hex. */
export const hashOfLock = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The name of the package in this folder, as the registry knows it. */
export const nameIn = (folder: string, { name }: { name?: string }): string =>
  name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** The packages of a lock, without what package.json asks for. */
export const packagesOf = (lock: Lock): [folder: string, entry: LockedPackage][] =>
  Object.entries(lock.packages).filter(([folder]) => folder !== '') as [string, LockedPackage][];

/** Names of packages that have an install script, which is never run. Optional ones for other systems are among them. */
export const withInstallScript = (lock: Lock): string[] => [
  ...new Set(
    packagesOf(lock)
      .filter(([, entry]) => entry.hasInstallScript)
      .map(([folder, entry]) => nameIn(folder, entry)),
  ),
];

function checkedPackage(folder: string, entry: unknown): LockedPackage {
  const shown = folder.slice(0, 300);
  if (!FOLDER.test(folder) || !isRecord(entry)) throw new LockRefused(`${shown} is no place of a library.`);
  const name = nameIn(shown, { name: typeof entry.name === 'string' ? entry.name.slice(0, 300) : undefined });
  const { version, integrity, resolved, link } = entry;
  const isElsewhere = link === true || (typeof resolved === 'string' && !/^https?:/.test(resolved));
  if (isElsewhere || typeof version !== 'string' || !VERSION.test(version)) {
    throw new LockRefused(
      `${name} does not come from the npm registry; a skript’s libraries, and all that they need, must.`,
    );
  }
  const isHashed = typeof integrity === 'string' && INTEGRITY.test(integrity);
  if (!isHashed && entry.inBundle !== true) {
    throw new LockRefused(
      `The npm registry gives no hash for ${name}@${version}, so nobody could tell what is installed.`,
    );
  }
  return Object.fromEntries(
    KEPT_FIELDS.filter(field => entry[field] !== undefined).map(field => [field, entry[field]]),
  ) as unknown as LockedPackage;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
