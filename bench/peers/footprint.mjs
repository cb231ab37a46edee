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
 * Memory of a process and its descendants. Shared memory counts in parts, so that the sum is what they use together.
 * @param {number} pid
 * @returns {{ own: number, databases: number }} in MB; `databases` is the part of PostgreSQL and MongoDB
 */
export function memoryOf(pid) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  for (const entry of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    const parent = Number(/\) \S (\d+)/.exec(textOf(entry, 'stat'))?.[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const memory = { own: 0, databases: 0 };
  /** @param {number} pid @param {boolean} isInDatabase */
  const add = (pid, isInDatabase) => {
    const isDatabase = isInDatabase || DATABASE.test(textOf(pid, 'cmdline'));
    const bytes = Number(/^Pss:\s+(\d+)/m.exec(textOf(pid, 'smaps_rollup'))?.[1] ?? 0) * 1024;
    memory[isDatabase ? 'databases' : 'own'] += bytes / MIB;
    for (const child of children.get(pid) ?? []) add(child, isDatabase);
  };
  add(pid, false);
  return { own: Math.round(memory.own), databases: Math.round(memory.databases) };
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
