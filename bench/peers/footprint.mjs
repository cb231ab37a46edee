// @ts-check
// Memory of processes, and size of installed packages. Linux only.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDir } from '@trawl/embedded';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MIB = 1024 ** 2;
const DATABASE = /postgres|mongo/;

/**
 * Memory of a process and its descendants by what they run, the largest first.
 * @param {number} pid
 * @returns {{ name: string, count: number, megabytes: number }[]}
 */
export function memoryByProcess(pid) {
  /** @type {Map<string, { name: string, count: number, megabytes: number }>} */
  const found = new Map();
  for (const process of processesBelow(pid)) {
    const name = nameOf(textOf(process, 'cmdline').split('\0'));
    const entry = found.get(name) ?? { name, count: 0, megabytes: 0 };
    entry.count += 1;
    entry.megabytes += pssOf(process);
    found.set(name, entry);
  }
  return [...found.values()].sort((a, b) => b.megabytes - a.megabytes);
}

/** @param {string[]} command @returns {string} the script of a Node process, else the program */
function nameOf([program = '', ...args]) {
  if (program.startsWith('postgres: ')) return 'postgres';
  const script = args.find(arg => /\.[cm]?js$/.test(arg));
  return (script ?? program).split('/').slice(-2).join('/');
}

/**
 * Memory of a process and its descendants. Shared memory counts in parts, so that the sum is what they use together.
 * @param {number} pid
 * @returns {{ own: number, databases: number }} in MB; `databases` is the part of PostgreSQL and MongoDB
 */
export function memoryOf(pid) {
  const memory = { own: 0, databases: 0 };
  for (const process of processesBelow(pid)) {
    const isDatabase = DATABASE.test(textOf(process, 'cmdline'));
    memory[isDatabase ? 'databases' : 'own'] += pssOf(process);
  }
  return { own: Math.round(memory.own), databases: Math.round(memory.databases) };
}

/** @param {number} pid @returns {number} MB */
const pssOf = pid => (Number(/^Pss:\s+(\d+)/m.exec(textOf(pid, 'smaps_rollup'))?.[1] ?? 0) * 1024) / MIB;

/** @param {number} pid @returns {number[]} this process and its descendants */
function processesBelow(pid) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  for (const entry of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    const parent = Number(/\) \S (\d+)/.exec(textOf(entry, 'stat'))?.[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const found = [pid];
  for (const process of found) found.push(...(children.get(process) ?? []));
  return found;
}

/** @param {number | string} pid @param {string} file @returns {string} empty if the process has ended */
function textOf(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')) return '';
    throw error;
  }
}

/** @param {string[]} paths @param {string[]} [options] @returns {number} size on the disk, in MB */
export function sizeOf(paths, options = []) {
  const output = execFileSync('du', ['-skc', ...options, ...paths], { encoding: 'utf8', maxBuffer: 16 * MIB });
  return Math.round(Number(/^(\d+)\s+total$/m.exec(output)?.[1]) / 1024);
}

/**
 * Size of Trawl after `npm start`: the checkout and what it downloaded to the cache folder.
 * @returns {{ all: number, production: number }} in MB; `production` is without packages that only build or test
 */
export function sizeOfTrawl() {
  const cached = readdirSync(cacheDir()).filter(name => !name.startsWith('bench-'));
  const cache = sizeOf(cached.map(name => join(cacheDir(), name)));
  const packages = sizeOf([join(ROOT, 'node_modules')], ['--exclude=.cache']);
  const rest = sizeOf([ROOT], ['--exclude=node_modules', '--exclude=.git', '--exclude=.trawl']);
  /** @type {{ packages: Record<string, { dev?: boolean, devOptional?: boolean, link?: boolean }> }} */
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const needed = Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link)
    .map(([path]) => join(ROOT, path))
    .filter(path => existsSync(path));
  return { all: packages + rest + cache, production: sizeOf(needed) + rest + cache };
}
