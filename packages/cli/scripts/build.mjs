// Builds `dist`: the program with a file for each command that is loaded when the command runs, the templates, the types
// of Trawl's libraries for editors, and what local runs use of the worker: its code and its runtime. The libraries and the
// worker must have been built before.
import { statSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKS } from '@trawl/type-check';
import { typePack } from '@trawl/type-check/collect-types';
import { build } from 'esbuild';

const room = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(room, 'dist');
const { version } = JSON.parse(await readFile(join(room, 'package.json'), 'utf8'));

await rm(dist, { recursive: true, force: true });
const worker = join(room, '..', '..', 'worker', 'dist');
/** The processes that local runs start beside the program. The worker's code finds them at these places. */
const helpers = {
  'proxy-process': 'egress/proxy-process.js',
  'spawner/spawner-process': 'executor/spawner/spawner-process.js',
  'watchdog/watchdog-process': 'watchdog/watchdog-process.js',
};
await build({
  entryPoints: [
    { in: join(room, 'src', 'trawl.ts'), out: 'trawl' },
    ...Object.entries(helpers).map(([out, file]) => ({ in: join(worker, file), out })),
  ],
  outdir: dist,
  bundle: true,
  splitting: true,
  // In one folder, so that `import.meta.url` is the same place for all code.
  chunkNames: '[name]-[hash]',
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  minify: true,
  keepNames: true,
  external: ['esbuild', 'koffi'],
  define: {
    'process.env.TRAWL_CLI_VERSION': JSON.stringify(version),
    // TypeScript, which is CommonJS, reads it when it loads.
    __filename: 'import.meta.filename',
  },
  banner: {
    // Packages in CommonJS call `require`, which ES modules do not have.
    js: "import { createRequire as createRequireOfTrawl } from 'node:module'; const require = createRequireOfTrawl(import.meta.url);",
  },
  legalComments: 'linked',
  logLevel: 'warning',
});
await chmod(join(dist, 'trawl.js'), 0o755);
await cp(join(room, 'templates'), join(dist, 'templates'), { recursive: true });
await cp(join(worker, 'runtime'), join(dist, 'runtime'), { recursive: true });

// Modules for tests that `trawl test` runs: @trawl/testing, and those that the bundle of a test imports.
const testing = join(room, '..', 'testing', 'dist');
await build({
  entryPoints: ['index', 'test-module', 'json-reporter'].map(name => join(testing, `${name}.js`)),
  outdir: join(dist, 'testing'),
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  minify: true,
  keepNames: true,
  legalComments: 'linked',
  logLevel: 'warning',
  plugins: [
    {
      // Tests and the code before them must share one instance.
      name: 'one-instance',
      setup: hooks =>
        hooks.onResolve({ filter: /^\.\/index\.js$/ }, ({ importer, path }) =>
          dirname(importer) === testing ? { path, external: true } : undefined,
        ),
    },
  ],
});
await writeFile(join(dist, 'testing', 'package.json'), '{ "type": "commonjs", "main": "index.js" }');

const types = join(dist, 'types');
await cp(join(room, 'types'), types, { recursive: true });
for (const library of ['echo', 'functionflow', 'httpclient', 'storage', 'testing']) {
  const built = join(room, '..', library, 'dist');
  const isWanted = path => path.endsWith('.d.ts') || (path !== join(built, 'local') && statSync(path).isDirectory());
  await cp(built, join(types, library), { recursive: true, filter: isWanted });
}
// The only types that those of the libraries need.
const bson = dirname(createRequire(join(room, '..', 'storage', 'package.json')).resolve('bson'));
await cp(join(bson, '..', 'bson.d.ts'), join(types, 'bson', 'index.d.ts'));

// For `trawl check`.
const packs = join(dist, 'type-packs');
await mkdir(packs);
await Promise.all(PACKS.map(name => writeFile(join(packs, `${name}.json`), JSON.stringify(typePack(name)))));
