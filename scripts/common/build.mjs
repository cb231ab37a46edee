// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { linkBundled } from './link-bundled.mjs';
import { fromRoot, ROOT, STAMPS_DIR } from './paths.mjs';
import { runTask } from './tasks.mjs';
import { progress } from './terminal.mjs';
import { removeWebsiteState } from './website-state.mjs';

/**
 * @typedef {object} Step
 * @property {string} name of the stamp
 * @property {string} label
 * @property {string} room workspace folder
 * @property {string[]} command arguments of node, the program first
 * @property {string} output file that is there once it was built
 * @property {{ from: string, to: string }} [moves] the folder that the build writes, and where it belongs when it is
 *   complete
 * @property {string[]} sources files and folders that decide what comes out
 * @property {(env: NodeJS.ProcessEnv) => string[]} [settings] environment variables that do, too
 */

/**
 * Where a build is.
 * @typedef {{ step: number, steps: number, text: string }} BuildStep
 */

/** @typedef {{ niceness?: number, onStep?: (step: BuildStep) => void }} BuildOptions */

/** The libraries that skripts import. */
const LIBRARIES = ['echo', 'functionflow', 'httpclient', 'storage'];
const SHARED_SOURCES = ['package-lock.json', 'packages/brand', 'packages/contracts/src'];

const BUILD_SETTINGS = ['SITE_API_URL', 'SITE_EDIT_URL', 'SITE_PANEL_URL', 'SITE_SERVICES', 'SITE_SOURCE_URL'];
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
  command: ['worker/scripts/build-runtime.mjs'],
  output: 'worker/dist/runtime/runner.cjs',
  sources: [
    'package-lock.json',
    'worker',
    ...['contracts', 'crawlee', 'echo', 'functionflow', 'httpclient', 'older-puppeteer', 'storage'].map(
      name => `packages/${name}/src`,
    ),
  ],
};

/** @type {Step} */
const COMMAND_LINE = {
  name: 'cli',
  label: 'Building the command line',
  room: 'packages/cli',
  command: ['packages/cli/scripts/build.mjs'],
  output: 'packages/cli/dist/trawl.js',
  // It contains the worker's code and runtime.
  sources: [
    ...WORKER_RUNTIME.sources,
    ...[
      'bundler/src',
      'cli',
      'client/src',
      'embedded/src',
      'folder-lock/src',
      'libraries/src',
      'testing/src',
      'tracing/src',
      'type-check/src',
    ].map(name => `packages/${name}`),
  ],
};

/** @type {Step} */
export const PANEL = {
  name: 'panel',
  label: 'Building the panel',
  room: 'panel',
  command: ['node_modules/vite/bin/vite.js', 'build'],
  output: 'panel/dist/app/index.html',
  // The code editor has the types of the libraries.
  sources: [
    ...SHARED_SOURCES,
    ...[...LIBRARIES, 'older-puppeteer', 'testing'].map(name => `packages/${name}/src`),
    'packages/cli/types',
    'packages/cli/templates',
    'packages/type-check/src',
    'panel',
  ],
};

/** @type {Step} */
const WEBSITE = {
  name: 'website',
  label: 'Building the website',
  room: 'website',
  command: ['node_modules/@docusaurus/core/bin/docusaurus.mjs', 'build', '--out-dir', '.docusaurus/build'],
  output: 'website/build/index.html',
  // A backend that starts meanwhile must find the whole of an older build.
  moves: { from: 'website/.docusaurus/build', to: 'website/build' },
  sources: [...SHARED_SOURCES, 'packages/httpclient/src', 'website', 'openapi.yaml', 'examples/skripts'],
  settings: websiteSettings,
};

const TOOLS_DIR = join(STAMPS_DIR, 'tools');

/**
 * Top-level folders whose compiled code `npm start` does not need. Their TypeScript is only checked, or runs in tests.
 */
const NOT_RUN = ['bench', 'e2e', 'panel', 'scripts', 'website'];

/** Builds everything that has changed since the last build. */
export async function build() {
  await compile([]);
  await buildSteps([WORKER_RUNTIME, COMMAND_LINE, PANEL, WEBSITE]);
  removeWebsiteState();
}

/** Builds what tests need that open no pages. */
export async function buildWithoutPages() {
  await compile(projectsThatRun());
  await buildSteps([WORKER_RUNTIME, COMMAND_LINE]);
}

/**
 * Compiles what starts the databases. As `buildPlatform`, it does not check types, which takes twice as long as the rest:
 * `npm test` and `npm run build` do that.
 */
export const buildDatabases = () => compile(['packages/embedded'], ['--noCheck']);

/** Builds what the platform needs to answer calls of the API and to run skripts. */
export async function buildPlatform() {
  // The worker first, so that its runtime is built while the compiler, which uses one processor, compiles the rest.
  await compile(['worker'], ['--noCheck'], 'Compiling the worker');
  await Promise.all([buildSteps([WORKER_RUNTIME]), compile(projectsThatRun(), ['--noCheck'], 'Compiling the backend')]);
}

/** Builds the programs that people use. The platform starts at the same time, and gets the processor first. */
export const buildPanelAndCommandLine = () => buildSteps([PANEL, COMMAND_LINE], { niceness: 19 });

/**
 * Builds the website with the processor time that other programs leave.
 * @param {(step: BuildStep) => void} onStep called at the start of each step of the build
 */
export const buildWebsite = onStep => buildSteps([WEBSITE], { niceness: 19, onStep });

export const isWebsiteBuilt = () => isBuilt(WEBSITE, toolEnvironment());

/** Builds the runtime from the compiled worker. The runtime is the code that the worker's runs load. */
export const buildWorkerRuntime = () => buildStep(WORKER_RUNTIME, toolEnvironment());

/**
 * Settings of the build tools. Their caches are in the checkout, so that a build leaves no files in the user's home
 * folder.
 */
export const TOOL_SETTINGS = {
  NO_UPDATE_NOTIFIER: '1',
  // Docusaurus would spend a twelfth of the build on spaces and quotes in pages that are sent compressed.
  SKIP_HTML_MINIFICATION: 'true',
  TMPDIR: TOOLS_DIR,
  XDG_CACHE_HOME: TOOLS_DIR,
  XDG_CONFIG_HOME: TOOLS_DIR,
};

const toolEnvironment = () => ({ ...process.env, ...TOOL_SETTINGS });

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
 * @param {string[]} options of the compiler
 * @param {string} [label] of the progress of a first compilation
 */
async function compile(projects, options = [], label = 'Compiling') {
  const compiler = fromRoot('node_modules/typescript/bin/tsc');
  const tsc = () => runTask(label, process.execPath, [compiler, '-b', ...options, ...projects]);
  const isFirst = !existsSync(fromRoot('packages/cli/dist'));
  await (isFirst ? progress(label, tsc) : tsc());
  linkBundled();
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
 * @param {Step[]} steps
 * @param {BuildOptions} [options]
 */
async function buildSteps(steps, options) {
  const env = toolEnvironment();
  for (const step of steps) if (!isBuilt(step, env)) await buildStep(step, env, options);
}

/**
 * @param {Step} step
 * @param {NodeJS.ProcessEnv} env
 * @param {BuildOptions} [options]
 */
async function buildStep(step, env, { niceness, onStep } = {}) {
  const hash = hashOf(step, env);
  const [program = '', ...args] = step.command;
  mkdirSync(TOOLS_DIR, { recursive: true });
  await progress(step.label, say => {
    /** @param {string} line */
    const onLine = line => {
      const [, number, steps, text] = /^Step (\d+) of (\d+): (.+)$/.exec(line) ?? [];
      if (!text) return;
      say(`step ${number} of ${steps}, ${text}`);
      onStep?.({ step: Number(number), steps: Number(steps), text });
    };
    const options = { cwd: fromRoot(step.room), env, niceness, onLine };
    return runTask(step.label, process.execPath, [fromRoot(program), ...args], options);
  });
  if (step.moves) {
    rmSync(fromRoot(step.moves.to), { recursive: true, force: true });
    renameSync(fromRoot(step.moves.from), fromRoot(step.moves.to));
  }
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
