// Builds `dist/runtime`, the runtime of runs: the runner and every built-in library, each bundled into one CommonJS
// file. So a run needs no other files of the checkout, and it can `require` even libraries that are only ES modules.
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILT_IN_LIBRARIES, OLDER_DEPENDENCIES, OLDER_LIBRARIES } from '@trawl/contracts';
import { build } from 'esbuild';
import { runNodePath } from '../dist/executor/run-nodes.js';

const worker = join(dirname(fileURLToPath(import.meta.url)), '..');
const runtime = join(worker, 'dist', 'runtime');

/**
 * Built-in libraries that are also loaded by a subpath, such as `csv-parse/sync`, because their documentation
 * recommends it.
 */
const SUBPATHS = { cheerio: ['slim'], 'csv-parse': ['sync'], 'csv-stringify': ['sync'] };

/** The parts of @trawl/storage that it loads only outside a run. Without them, it loads faster in runs. */
const NOT_IN_RUNS = ['./local/local-port.js', '../local/local-postgres.js'];

/** The file beside that of @trawl/storage with the library for cookies, which only runs with a session need. */
const COOKIES = 'cookies.js';
const apart = {
  name: 'apart',
  setup: builder => builder.onResolve({ filter: /^tough-cookie$/ }, () => ({ path: `./${COOKIES}`, external: true })),
};

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  logLevel: 'warning',
  absWorkingDir: worker,
  legalComments: 'linked',
  write: true,
};

/**
 * Makes `require` of a library return the library's default export, with the named exports as properties, as for a
 * CommonJS library. Example: `require('got')`.
 */
const entry = name => `
const library = require(${JSON.stringify(name)});
if (library.__esModule && typeof library.default === 'function') {
  for (const key of Object.keys(library)) if (!(key in library.default)) library.default[key] = library[key];
  if (!('default' in library.default)) library.default.default = library.default;
  module.exports = library.default;
} else {
  module.exports = library;
}`;

/**
 * The file by which libraries load their code. It is among the libraries, because a worker copies their folder as a whole.
 */
const loader = join(runtime, 'node_modules', '.load-library.cjs');

/** The files that get a code cache, each with its name for a skript. */
const cached = [];

/** Moves the code of a library into a file that gets a code cache beside it, and makes `file` load that. */
async function addCodeCache(file) {
  const code = file.replace(/\.js$/, '.code.js');
  await rename(file, code);
  const name = relative(join(runtime, 'node_modules'), file);
  cached.push([code, name]);
  const [path, own, shown] = [relative(dirname(file), loader), `/${basename(code)}`, name].map(text =>
    JSON.stringify(text),
  );
  await writeFile(file, `module.exports = require(${path}).loadLibrary(__dirname + ${own}, ${shown}).exports;\n`);
}

/** Returns code that never runs. Node reads it to learn which names `import()` of the library exports. */
function namesFor(file) {
  const names = Object.keys(createRequire(import.meta.url)(file)).filter(name => /^[A-Za-z_$][\w$]*$/.test(name));
  return `\nif (0) {\n${names.map(name => `  exports.${name} = 0;\n`).join('')}}\n`;
}

/**
 * The code of `puppeteer` and `puppeteer-core` depends on the run's environment. In `browser`, the runner provides both
 * modules through a global symbol. In other environments, puppeteer-core is the plain library. puppeteer throws an
 * error that says how to get a browser.
 */
const IN_BROWSER = "globalThis[Symbol.for('trawl.puppeteer')]";
const PUPPETEER = {
  'puppeteer-core': `module.exports = ${IN_BROWSER} ?? require('./library.js');\n`,
  puppeteer: `if (!${IN_BROWSER}) {
  throw new Error('puppeteer needs a browser, which runs of the environment browser have. Set the environment of the skript to browser.');
}
module.exports = ${IN_BROWSER};
`,
};

/** A path, because the name of the module would leave it outside the bundle, as `SHARED` does with functionflow. */
const OLDER_FLOW = JSON.stringify(createRequire(import.meta.url).resolve('@trawl/functionflow/older-function-flow'));

/** Maps each older name to the library that provides it, and to what each of its files exports. */
const OLDER = {
  '@mikosoft/echo': ['@trawl/echo', { index: "require('@trawl/echo/older-echo').OlderEcho" }],
  echoer: ['@trawl/echo', { index: "require('@trawl/echo/older-echo').Echoer" }],
  '@mikosoft/functionflow': ['@trawl/functionflow', { index: `require(${OLDER_FLOW}).OlderFunctionFlow` }],
  functionflowx: ['@trawl/functionflow', { index: "require('@mikosoft/functionflow')" }],
  // The platform's bundler chooses `v2` for skripts whose package.json asks for version 2.
  '@mikosoft/httpclient-pptr': [
    '@trawl/older-puppeteer',
    {
      index: "require('@trawl/older-puppeteer').httpClientPptr3",
      v2: "require('@trawl/older-puppeteer').httpClientPptr2",
    },
  ],
  'pptr-plus': ['@trawl/older-puppeteer', { index: "require('@trawl/older-puppeteer').PptrPlus" }],
  chalk: ['chalk', { index: "require('chalk')" }],
  'fs-extra': ['fs-extra', { index: "require('fs-extra')" }],
  // Moment looks for each locale in a file of its own, which a bundle lacks.
  moment: ['moment', { index: "require('moment/min/moment-with-locales')" }],
};
/**
 * Modules that stay outside the bundles of older names: functionflow, so that both of its older names give the same
 * class, which extends the current one, and Puppeteer, which the runner provides.
 */
const SHARED = ['@mikosoft/functionflow', '@trawl/functionflow', 'puppeteer-core'];

await rm(runtime, { recursive: true, force: true });
await mkdir(runtime, { recursive: true });
// The runner loads these files only if the run needs them: it has no network of its own, has a browser, is recorded,
// replayed or polite, uses proxies, or has Crawlee.
for (const [module, file] of [
  ['node/cached-runner', 'runner'],
  ['main', 'runner.code'],
  ['network/proxied-network', 'proxied-network'],
  ['browser/run-browser', 'run-browser'],
  ['replay/start-recorder', 'recorder'],
  ['replay/start-replay', 'replay'],
  ['polite/start-polite', 'polite'],
  ['proxies/start-proxies', 'proxies'],
  ['crawlee/crawlee-of-run', 'crawlee'],
]) {
  const entryPoints = [join(worker, 'dist', 'runner', `${module}.js`)];
  await build({ ...common, entryPoints, outfile: join(runtime, `${file}.cjs`) });
}

await build({
  ...common,
  entryPoints: [join(worker, 'dist', 'runner', 'node', 'cached-library.js')],
  outfile: loader,
});

for (const name of BUILT_IN_LIBRARIES.filter(name => !(name in PUPPETEER))) {
  const folder = join(runtime, 'node_modules', name);
  const subpaths = SUBPATHS[name] ?? [];
  await mkdir(folder, { recursive: true });
  for (const [file, request] of [['index', name], ...subpaths.map(subpath => [subpath, `${name}/${subpath}`])]) {
    const contents = entry(request);
    const outfile = join(folder, `${file}.js`);
    const options = { ...common, stdin: { contents, resolveDir: worker }, outfile, external: NOT_IN_RUNS };
    await build(name === '@trawl/storage' ? { ...options, plugins: [apart] } : options);
    await addCodeCache(outfile);
    await appendFile(outfile, namesFor(outfile));
  }
  await writeFile(join(folder, 'package.json'), await packageFile(name, name, ['index', ...subpaths]));
}

// The runner loads it when a skript loads Crawlee. It must have the same @trawl/storage as the skript.
const crawlee = join(runtime, 'node_modules', '@trawl/crawlee');
await build({
  ...common,
  entryPoints: [join(worker, '..', 'packages', 'crawlee', 'dist', 'index.js')],
  outfile: join(crawlee, 'index.js'),
  external: ['@trawl/storage'],
});
await writeFile(join(crawlee, 'package.json'), JSON.stringify({ name: '@trawl/crawlee', main: 'index.js' }));

const cookies = join(runtime, 'node_modules', '@trawl/storage', COOKIES);
const storage = createRequire(import.meta.url).resolve('@trawl/storage');
await build({ ...common, stdin: { contents: entry('tough-cookie'), resolveDir: dirname(storage) }, outfile: cookies });
await addCodeCache(cookies);

for (const [name, text] of Object.entries(PUPPETEER)) {
  const folder = join(runtime, 'node_modules', name);
  const library = join(runtime, 'node_modules', 'puppeteer-core', 'library.js');
  await mkdir(folder, { recursive: true });
  if (name === 'puppeteer-core') {
    await build({ ...common, stdin: { contents: entry(name), resolveDir: worker }, outfile: library });
    await addCodeCache(library);
  }
  await writeFile(join(folder, 'index.js'), text + namesFor(library));
  const version = await versionOf('puppeteer-core');
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version, main: 'index.js' }));
}

for (const name of [...OLDER_LIBRARIES, ...OLDER_DEPENDENCIES]) {
  const [library, files] = OLDER[name];
  const folder = join(runtime, 'node_modules', name);
  for (const [file, exports] of Object.entries(files)) {
    const stdin = { contents: `module.exports = ${exports};`, resolveDir: worker };
    const outfile = join(folder, `${file}.js`);
    await build({ ...common, stdin, outfile, external: SHARED });
    await appendFile(outfile, namesFor(outfile));
  }
  await writeFile(join(folder, 'package.json'), await packageFile(name, library, Object.keys(files)));
}

// Each version of Node reads only its own code cache: those of runs, and that of this process, for workers without them.
for (const node of new Set([process.execPath, runNodePath(24), runNodePath(22)])) {
  if (node === null) continue;
  const script = join(worker, 'scripts', 'write-code-caches.mjs');
  execFileSync(node, [script], {
    input: JSON.stringify({ runner: join(runtime, 'runner.code.cjs'), libraries: cached }),
    stdio: ['pipe', 'inherit', 'inherit'],
  });
}

/** Returns the package.json of a library with these files and the version of `library`. */
async function packageFile(name, library, files) {
  const exports = Object.fromEntries(files.map(file => [file === 'index' ? '.' : `./${file}`, `./${file}.js`]));
  return JSON.stringify({ name, version: await versionOf(library), main: 'index.js', exports });
}

async function versionOf(name) {
  for (let folder = worker; ; folder = dirname(folder)) {
    try {
      return JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
    } catch (error) {
      if (error.code !== 'ENOENT' || folder === dirname(folder)) throw error;
    }
  }
}
