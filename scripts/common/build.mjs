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
 * @property {(env: NodeJS.ProcessEnv) => string[]} [settings] environment variables that do, too
 */

/** The libraries that skripts import. */
const LIBRARIES = ['echo', 'functionflow', 'httpclient', 'storage'];
const SHARED_SOURCES = ['package-lock.json', 'packages/brand', 'packages/contracts/src'];

const BUILD_SETTINGS = ['SITE_API_URL', 'SITE_EDIT_URL', 'SITE_PANEL_URL'];
/** The backend puts these into the website that it serves. A website with `SITE_API_URL` is served by another server. */
const START_SETTINGS = ['SITE_EMAIL', 'SITE_OPERATOR', 'TRAWL_PUBLIC_URL'];

/**
 * Returns the environment variables that decide how the website is built.
 * @param {NodeJS.ProcessEnv} env
 */
export const websiteSettings = env => (env.SITE_API_URL ? [...BUILD_SETTINGS, ...START_SETTINGS] : BUILD_SETTINGS);

/** @type {Step} */
const WORKER_RUNTIME = {
  name: 'worker-runtime',
  label: "Building the worker's runtime",
  room: 'worker',
  script: 'build:runtime',
  output: 'worker/dist/runtime/runner.cjs',
  sources: [
    'package-lock.json',
    'worker',
    ...['contracts', 'echo', 'functionflow', 'httpclient', 'older-puppeteer', 'storage'].map(
      name => `packages/${name}/src`,
    ),
  ],
};

/** @type {Step} */
const COMMAND_LINE = {
  name: 'cli',
  label: 'Building the command line',
  room: 'packages/cli',
  script: 'build',
  output: 'packages/cli/dist/trawl.js',
  // It contains the worker's code and runtime.
  sources: [
    ...WORKER_RUNTIME.sources,
    ...['cli', 'client/src', 'embedded/src', 'folder-lock/src', 'libraries/src', 'tracing/src'].map(
      name => `packages/${name}`,
    ),
  ],
};

/** @type {Step[]} */
const STEPS = [
  WORKER_RUNTIME,
  COMMAND_LINE,
  {
    name: 'panel',
    label: 'Building the panel',
    room: 'panel',
    script: 'build',
    output: 'panel/dist/app/index.html',
    // The code editor has the types of the libraries.
    sources: [
      ...SHARED_SOURCES,
      ...LIBRARIES.map(name => `packages/${name}/src`),
      'packages/cli/types',
      'packages/cli/templates',
      'panel',
    ],
  },
  {
    name: 'website',
    label: 'Building the website',
    room: 'website',
    script: 'build',
    output: 'website/build/index.html',
    sources: [...SHARED_SOURCES, 'packages/httpclient/src', 'website', 'openapi.yaml', 'examples/skripts'],
    settings: websiteSettings,
  },
];

const TOOLS_DIR = join(STAMPS_DIR, 'tools');

/**
 * Top-level folders whose compiled code `npm start` does not need. Their TypeScript is only checked, or runs in tests.
 */
const NOT_RUN = ['bench', 'e2e', 'panel', 'scripts', 'website'];

/**
 * Builds what has changed since the last build.
 * @param {object} options
 * @param {boolean} options.everything also compile the folders that `npm start` does not need
 * @param {boolean} [options.withoutSite] leave out website and panel
 */
export async function build({ everything, withoutSite = false }) {
  await compile(everything ? [] : projectsThatRun());
  const env = { ...process.env, ...TOOL_SETTINGS };
  const steps = withoutSite ? [WORKER_RUNTIME, COMMAND_LINE] : STEPS;
  for (const step of steps) if (!isBuilt(step, env)) await buildStep(step, env);
}

/** Builds the runtime from the compiled worker. The runtime is the code that the worker's runs load. */
export async function buildWorkerRuntime() {
  await buildStep(WORKER_RUNTIME, { ...process.env, ...TOOL_SETTINGS });
}

/**
 * Settings of the build tools. Their caches are in the checkout, so that a build leaves no files in the user's home
 * folder.
 */
export const TOOL_SETTINGS = {
  NO_UPDATE_NOTIFIER: '1',
  TMPDIR: TOOLS_DIR,
  XDG_CACHE_HOME: TOOLS_DIR,
  XDG_CONFIG_HOME: TOOLS_DIR,
};

/** @returns {string[]} */
function projectsThatRun() {
  /** @type {{ references: { path: string }[] }} */
  const { references } = JSON.parse(readFileSync(fromRoot('tsconfig.json'), 'utf8'));
  return references
    .map(({ path }) => path)
    .filter(path => !NOT_RUN.includes(path) && existsSync(fromRoot(path, 'tsconfig.json')));
}

/**
 * Runs the TypeScript compiler. If nothing has changed, this takes only a tenth of a second.
 * @param {string[]} projects all projects if empty
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
  mkdirSync(TOOLS_DIR, { recursive: true });
  await progress(step.label, () =>
    runTask(step.label, ...npm('run', '--silent', step.script), { cwd: fromRoot(step.room), env }),
  );
  writeFileSync(stampOf(step), hash);
}

/**
 * Returns a hash of the names and contents of the sources and of the settings. The location of the checkout and the
 * times of its files do not change the hash.
 * @param {Pick<Step, 'sources' | 'settings'>} step
 * @param {NodeJS.ProcessEnv} env
 */
export function hashOf({ sources, settings = () => [] }, env) {
  const hash = createHash('sha256');
  for (const name of settings(env)) hash.update(`${name}=${env[name] ?? ''}\0`);
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
