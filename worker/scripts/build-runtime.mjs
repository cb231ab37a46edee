// Builds what a run's process consists of, `dist/runtime`: the runner and every stock library, each bundled into one
// CommonJS file. So a run needs nothing of the checkout, and libraries that are ES modules only can be required too.
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { STOCK_LIBRARIES } from '@trawl/contracts';
import { build } from 'esbuild';

const worker = join(dirname(fileURLToPath(import.meta.url)), '..');
const runtime = join(worker, 'dist', 'runtime');

/** Further entry points of stock libraries that their own documentation tells people to use. */
const SUBPATHS = { cheerio: ['slim'], 'csv-parse': ['sync'], 'csv-stringify': ['sync'] };

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

/** `require('got')` gives the default export itself, with the named ones on it, as CommonJS libraries do. */
const entry = name => `
const library = require(${JSON.stringify(name)});
if (library.__esModule && typeof library.default === 'function') {
  for (const key of Object.keys(library)) if (!(key in library.default)) library.default[key] = library[key];
  if (!('default' in library.default)) library.default.default = library.default;
  module.exports = library.default;
} else {
  module.exports = library;
}`;

/** Never run: it is how Node learns, without running a library, which names `import()` of it gives. */
function namesFor(file) {
  const names = Object.keys(createRequire(import.meta.url)(file)).filter(name => /^[A-Za-z_$][\w$]*$/.test(name));
  return `\nif (0) {\n${names.map(name => `  exports.${name} = 0;\n`).join('')}}\n`;
}

/**
 * What these modules are depends on the run's environment: in `browser` the runner has prepared it, under a name of its own.
 * Otherwise puppeteer-core is the library as it comes, and puppeteer, which promises a browser, says where there is one.
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

await rm(runtime, { recursive: true, force: true });
await mkdir(runtime, { recursive: true });
// The second is loaded by the runner where there is a proxy, the third where there is a browser.
for (const [module, file] of [
  ['main', 'runner'],
  ['proxied-network', 'proxied-network'],
  ['run-browser', 'run-browser'],
]) {
  const entryPoints = [join(worker, 'dist', 'runner', `${module}.js`)];
  await build({ ...common, entryPoints, outfile: join(runtime, `${file}.cjs`) });
}

for (const name of STOCK_LIBRARIES.filter(name => !(name in PUPPETEER))) {
  const folder = join(runtime, 'node_modules', name);
  const subpaths = SUBPATHS[name] ?? [];
  await mkdir(folder, { recursive: true });
  for (const [file, request] of [['index', name], ...subpaths.map(subpath => [subpath, `${name}/${subpath}`])]) {
    const contents = entry(request);
    const outfile = join(folder, `${file}.js`);
    await build({ ...common, stdin: { contents, resolveDir: worker }, outfile });
    await appendFile(outfile, namesFor(outfile));
  }
  const exports = Object.fromEntries([
    ['.', './index.js'],
    ...subpaths.map(subpath => [`./${subpath}`, `./${subpath}.js`]),
  ]);
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name, version: await versionOf(name), main: 'index.js', exports }),
  );
}

for (const [name, text] of Object.entries(PUPPETEER)) {
  const folder = join(runtime, 'node_modules', name);
  const library = join(runtime, 'node_modules', 'puppeteer-core', 'library.js');
  await mkdir(folder, { recursive: true });
  if (name === 'puppeteer-core') {
    await build({ ...common, stdin: { contents: entry(name), resolveDir: worker }, outfile: library });
  }
  await writeFile(join(folder, 'index.js'), text + namesFor(library));
  const version = await versionOf('puppeteer-core');
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version, main: 'index.js' }));
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
