// @ts-check
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/**
 * @typedef {object} Room a workspace folder
 * @property {string} name of its package, e.g. `@trawl/worker`
 * @property {string} path below the checkout, e.g. `packages/echo`
 */

/** Packages that users' own programs or both ends of a wire carry: they need none of our code beside them. */
const ALONE = ['packages/contracts', 'packages/echo', 'packages/functionflow'];

/** Tests and benchmarks of the whole product may look behind any door. */
const FREE = ['e2e', 'bench'];

const SOURCE = /\.(ts|tsx|mts|cts|js|jsx|mjs|cjs)$/;
const NOT_SOURCES = new Set(['node_modules', 'dist', 'build', '.docusaurus', 'testdata']);
// `import x from 'y'`, `export … from 'y'`, `import 'y'`, `import('y')`, `require('y')`.
const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])([^'"\n]+)\1/g;

/**
 * The rooms that exist, from the workspaces of package.json.
 * @param {string} root
 * @returns {Room[]}
 */
export function findRooms(root) {
  /** @type {{ workspaces: string[] }} */
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return workspaces
    .flatMap(pattern => {
      if (!pattern.endsWith('/*')) return [pattern];
      const parent = pattern.slice(0, -2);
      return readdirSync(join(root, parent)).map(name => `${parent}/${name}`);
    })
    .filter(path => existsSync(join(root, path, 'package.json')))
    .map(path => ({ path, name: JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')).name }));
}

/**
 * @param {string} root
 * @param {Room[]} rooms
 * @returns {string[]} a line for each import that goes the wrong way
 */
export function findViolations(root, rooms) {
  return rooms.flatMap(room =>
    sourcesBelow(join(root, room.path)).flatMap(file => {
      const name = relative(root, file).split(sep).join('/');
      return [...readFileSync(file, 'utf8').matchAll(SPECIFIER)].flatMap(([, , specifier = '']) => {
        const reason = whyNot(rooms, room, name, specifier);
        return reason ? [`${name} imports "${specifier}": ${reason}`] : [];
      });
    }),
  );
}

/**
 * @param {Room[]} rooms
 * @param {Room} room the importer's
 * @param {string} file the importer, below the checkout
 * @param {string} specifier
 * @returns {string | undefined} the rule that this import breaks, with its reason
 */
export function whyNot(rooms, room, file, specifier) {
  if (FREE.includes(room.path)) return undefined;
  if (specifier.startsWith('.')) {
    const target = relative(resolve('/'), resolve('/', dirname(file), specifier))
      .split(sep)
      .join('/');
    if (isBelow(target, room.path)) return undefined;
    return 'a relative import stays in its room; what rooms share is a package, imported by its name, so that its surface is known.';
  }
  const target = rooms.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
  if (!target || target === room) return undefined;
  if (ALONE.includes(room.path)) {
    return `${room.path} imports nothing of ours, because it is carried to places where nothing else of ours is.`;
  }
  if (isPackage(target)) return undefined;
  if (isPackage(room))
    return 'packages import no app: an app can change without every package that it uses changing too.';
  return 'apps never import each other: they run in different processes and meet in @trawl/contracts.';
}

/** @param {Room} room */
const isPackage = room => room.path.startsWith('packages/');

/**
 * @param {string} path
 * @param {string} folder
 */
const isBelow = (path, folder) => path === folder || path.startsWith(`${folder}/`);

/**
 * @param {string} folder
 * @returns {string[]}
 */
function sourcesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    if (NOT_SOURCES.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesBelow(path);
    return SOURCE.test(entry.name) ? [path] : [];
  });
}
