// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromRoot, ROOT, STAMPS_DIR } from './paths.mjs';
import { npm, runTask } from './tasks.mjs';
import { progress } from './terminal.mjs';

/**
 * @typedef {object} Step
 * @property {string} name of the stamp
 * @property {string} label
 * @property {string} room workspace folder
 * @property {string} script of that workspace
 * @property {string} output file that is there once it was built
 * @property {string[]} sources files and folders that decide what comes out
 * @property {string[]} [settings] environment variables that do, too
 */

const SHARED_SOURCES = ['package-lock.json', 'packages/brand', 'packages/contracts/src'];

/** What `website/site-settings.ts` reads. */
export const WEBSITE_SETTINGS = [
  'SITE_API_URL',
  'SITE_EDIT_URL',
  'SITE_EMAIL',
  'SITE_OPERATOR',
  'SITE_PANEL_URL',
  'TRAWL_PUBLIC_URL',
];

/** @type {Step} */
const WORKER_RUNTIME = {
  name: 'worker-runtime',
  label: "Building the worker's runtime",
  room: 'worker',
  script: 'build:runtime',
  output: 'worker/dist/runtime/runner.cjs',
  sources: ['package-lock.json', 'worker', 'packages/contracts/src', 'packages/echo/src', 'packages/storage/src'],
};

/** @type {Step[]} */
const STEPS = [
  WORKER_RUNTIME,
  {
    name: 'panel',
    label: 'Building the panel',
    room: 'panel',
    script: 'build',
    output: 'panel/dist/app/index.html',
    sources: [...SHARED_SOURCES, 'panel'],
  },
  {
    name: 'website',
    label: 'Building the website',
    room: 'website',
    script: 'build',
    output: 'website/build/index.html',
    sources: [...SHARED_SOURCES, 'packages/httpclient/src', 'website', 'openapi.yaml', 'examples/skripts'],
    settings: WEBSITE_SETTINGS,
  },
];

const TOOLS_DIR = join(STAMPS_DIR, 'tools');

/** Rooms whose TypeScript is only checked, or is what tests are made of: nothing that a start needs. */
const NOT_RUN = ['bench', 'e2e', 'panel', 'scripts', 'website'];

/**
 * Builds what has changed since the last time.
 * @param {object} options
 * @param {boolean} options.everything also type-check the rooms that nothing runs from
 * @param {string} options.publicUrl what the website says its own address is
 */
export async function build({ everything, publicUrl }) {
  await compile(everything ? [] : projectsThatRun());
  const env = { ...process.env, ...buildSettings(publicUrl) };
  for (const step of STEPS) if (!isBuilt(step, env)) await buildStep(step, env);
}

/**
 * Builds what the worker's runs consist of, from what was compiled last.
 * @param {string} publicUrl
 */
export async function buildWorkerRuntime(publicUrl) {
  await buildStep(WORKER_RUNTIME, { ...process.env, ...buildSettings(publicUrl) });
}

/**
 * What the tools of the build keep for themselves stays in the checkout: none of it is to turn up in a person's home.
 * @param {string} publicUrl
 */
export const buildSettings = publicUrl => ({
  TRAWL_PUBLIC_URL: publicUrl,
  NO_UPDATE_NOTIFIER: '1',
  TMPDIR: TOOLS_DIR,
  XDG_CACHE_HOME: TOOLS_DIR,
  XDG_CONFIG_HOME: TOOLS_DIR,
});

/** @returns {string[]} */
function projectsThatRun() {
  /** @type {{ references: { path: string }[] }} */
  const { references } = JSON.parse(readFileSync(fromRoot('tsconfig.json'), 'utf8'));
  return references
    .map(({ path }) => path)
    .filter(path => !NOT_RUN.includes(path) && existsSync(fromRoot(path, 'tsconfig.json')));
}

/**
 * The compiler knows best whether anything has changed, and says so in a tenth of a second.
 * @param {string[]} projects all of the root's when empty
 */
async function compile(projects) {
  const tsc = () =>
    runTask('Compiling', process.execPath, [fromRoot('node_modules/typescript/bin/tsc'), '-b', ...projects]);
  const isFirst = !existsSync(fromRoot('packages/embedded/dist'));
  await (isFirst ? progress('Compiling', tsc) : tsc());
}

/**
 * @param {Step} step
 * @param {NodeJS.ProcessEnv} env
 */
function isBuilt(step, env) {
  const stamp = stampOf(step);
  return existsSync(fromRoot(step.output)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(step, env);
}

/** @param {Step} step */
const stampOf = step => join(STAMPS_DIR, `${step.name}.sha256`);

/**
 * @param {Step} step
 * @param {NodeJS.ProcessEnv} env
 */
async function buildStep(step, env) {
  const hash = hashOf(step, env);
  const [command, args] = npm();
  mkdirSync(TOOLS_DIR, { recursive: true });
  await progress(step.label, () =>
    runTask(step.label, command, [...args, 'run', '--silent', step.script], { cwd: fromRoot(step.room), env }),
  );
  writeFileSync(stampOf(step), hash);
}

/**
 * Of names and contents, so that neither a checkout's times nor its place matter.
 * @param {Pick<Step, 'sources' | 'settings'>} step
 * @param {NodeJS.ProcessEnv} env
 */
export function hashOf({ sources, settings = [] }, env) {
  const hash = createHash('sha256');
  for (const name of settings) hash.update(`${name}=${env[name] ?? ''}\0`);
  for (const source of sources) addToHash(hash, source);
  return hash.digest('hex');
}

const NOT_SOURCES = new Set(['node_modules', 'dist', 'build', '.docusaurus']);

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} path below the checkout
 */
function addToHash(hash, path) {
  const full = join(ROOT, path);
  if (!existsSync(full)) return;
  if (!statSync(full).isDirectory()) {
    hash.update(`${path}\0`).update(readFileSync(full)).update('\0');
    return;
  }
  for (const name of readdirSync(full).sort()) {
    if (!NOT_SOURCES.has(name) && !name.endsWith('.tsbuildinfo')) addToHash(hash, join(path, name));
  }
}
