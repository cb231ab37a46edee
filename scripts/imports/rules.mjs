// @ts-check
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LAYERS } from './rooms.mjs';

/**
 * @typedef {import('dependency-cruiser').IForbiddenRuleType} Rule
 * @typedef {import('dependency-cruiser').IRegularForbiddenRuleType} ImportRule
 */

/**
 * The programs of the platform. They run in different processes, and share only the code of packages such as
 * `@trawl/contracts`.
 */
export const APPS = ['backend', 'worker', 'panel', 'website', 'examples'];

/**
 * Packages that import no other package of this repository, because they are used in places where the others are
 * missing.
 */
const ALONE = [
  'brand',
  'client',
  'contracts',
  'echo',
  'folder-lock',
  'functionflow',
  'httpclient',
  'older-puppeteer',
  'tracing',
];

/**
 * Returns all rules. The comment of each rule is the reason for it.
 * @param {string} root the checkout
 * @returns {Rule[]}
 */
export function rules(root) {
  return [
    forbid(
      'no-circles',
      {},
      { circular: true },
      'files that import each other can only be read, tested and moved together.',
    ),
    {
      name: 'no-folder-circles',
      scope: 'folder',
      severity: 'error',
      from: {},
      to: { circular: true },
      comment: 'two folders that import each other are one folder.',
    },
    ...APPS.map(app =>
      forbid(
        `${app}-imports-no-app`,
        { path: `^${app}/` },
        { path: anyOf(APPS.filter(other => other !== app)) },
        'apps never import each other: they run in different processes and meet in @trawl/contracts.',
      ),
    ),
    forbid(
      'packages-import-no-app',
      { path: '^packages/', pathNot: '^packages/cli/' },
      { path: anyOf(APPS) },
      'packages import no app, so that an app can change without the packages that it uses.',
    ),
    forbid(
      'cli-imports-only-the-local-worker',
      { path: '^packages/cli/' },
      { path: anyOf(APPS), pathNot: '^@trawl/worker/local-worker$' },
      'the command line runs skripts with the code of the worker, and imports nothing else of an app.',
    ),
    forbid(
      'rooms-share-by-package',
      { path: '^(packages/[^/]+|[^/]+)/' },
      { path: '.', pathNot: '^$1/', dependencyTypes: ['local'] },
      'rooms share code through packages, imported by name, so that their surface is known.',
    ),
    forbid(
      'alone',
      { path: `^packages/(${ALONE.join('|')})/` },
      { path: '^(@trawl|packages)/', pathNot: ['^packages/$1/', '^@trawl/$1$'] },
      'this package imports nothing else of ours, because it is used where no other package of ours is.',
    ),
    forbid(
      'features-are-independent',
      { path: '^panel/src/features/([^/]+)/' },
      { path: '^panel/src/features/', pathNot: '^panel/src/features/$1/' },
      'features of the panel never import each other; what two need belongs to panel/src/components or panel/src/api.',
    ),
    ...Object.entries(LAYERS).flatMap(([parent, layers]) => layerRules(root, parent, layers)),
  ];
}

/**
 * @param {string} root
 * @param {string} parent folder whose folders are in layers
 * @param {string[][]} layers
 * @returns {Rule[]}
 * @throws if a folder is in no layer
 */
function layerRules(root, parent, layers) {
  const folders = readdirSync(join(root, parent), { withFileTypes: true }).filter(entry => entry.isDirectory());
  const missing = folders.filter(({ name }) => !layers.flat().includes(name));
  if (missing.length > 0) {
    const names = missing.map(({ name }) => `${parent}/${name}`).join(', ');
    throw new Error(`${names} is in no layer. Add it in scripts/imports/rooms.mjs.`);
  }
  return layers.flatMap((layer, index) =>
    layer.map(room => {
      const earlier = layers.slice(0, index).flat();
      return forbid(
        `${parent}/${room}`,
        { path: `^${parent}/${room}/` },
        { path: `^${parent}/[^/]+/`, pathNot: `^${parent}/(${[room, ...earlier].join('|')})/` },
        `${parent}/${room} may import ${earlier.length > 0 ? earlier.join(', ') : 'no other folder'} (scripts/imports/rooms.mjs).`,
      );
    }),
  );
}

/** @param {string[]} apps */
const anyOf = apps => `^(@trawl/)?(${apps.join('|')})(/|$)`;

/**
 * @param {string} name
 * @param {ImportRule['from']} from
 * @param {ImportRule['to']} to
 * @param {string} comment the reason
 * @returns {ImportRule}
 */
const forbid = (name, from, to, comment) => ({ name, severity: 'error', from, to, comment });
