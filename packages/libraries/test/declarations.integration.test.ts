import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { collectDeclarations, DECLARATION_LIMITS, type Lock, resolveLibraries } from '../src/index.js';
import { type Published, RegistryStandIn, tarHeader } from '../src/registry-stand-in.js';

const registry = new RegistryStandIn();
const folders: string[] = [];

beforeAll(() => registry.open());
afterAll(async () => {
  await registry.close();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function options() {
  const folder = await mkdtemp(join(tmpdir(), 'trawl-types-test-'));
  folders.push(folder);
  await mkdir(join(folder, 'cache'));
  return { folder, cache: join(folder, 'cache'), registry: registry.url, node: '24.21.0', timeLimitMs: 100_000 };
}

/** Publishes packages, and collects the types of those that a skript names: of all by default. */
async function collected(
  packages: Record<string, Published>,
  named = Object.keys(packages).filter(name => !name.startsWith('@types/')),
  types: Record<string, string> = {},
) {
  for (const [name, published] of Object.entries(packages)) registry.publish(name, published);
  const wanted = Object.fromEntries(named.map(name => [name, '*']));
  const lock: Lock = await resolveLibraries(wanted, null, await options());
  const { files, leftOut } = await collectDeclarations(lock, named, types, await options());
  return { paths: Object.keys(files).sort(), files, leftOut };
}

test('the types of a library are its declarations, those of what they import, and nothing else', async () => {
  const { paths, files, leftOut } = await collected(
    {
      outer: {
        manifest: {
          dependencies: { '@scope/inner': '1' },
          exports: {
            '.': { import: { types: './dist/index.d.mts' }, require: { types: './dist/index.d.cts' } },
            './extra': './dist/extra.js',
          },
        },
        files: {
          'dist/index.d.cts':
            "import { Size } from '@scope/inner/size';\nexport * from './part.js';\nexport type { Size };",
          'dist/index.d.mts': 'export const other: 1;',
          'dist/part.d.ts': "/// <reference path='more.d.ts' />\nexport const part: import('@scope/inner').Inner;",
          'dist/more.d.ts': 'declare const more: 1;',
          'dist/extra.d.ts': 'export const extra: 1;',
          'dist/index.cjs': 'exports.part = 1;',
          'dist/hidden.d.ts': 'export const hidden: 1;',
        },
      },
      '@scope/inner': {
        manifest: { types: 'types' },
        files: { 'types.d.ts': 'export interface Inner { a: 1 }', 'size/index.d.ts': 'export type Size = 1;' },
      },
      unused: { files: { 'index.d.ts': 'export const unused: 1;' } },
    },
    ['outer'],
  );
  expect(paths).toEqual([
    'node_modules/@scope/inner/package.json',
    'node_modules/@scope/inner/size/index.d.ts',
    'node_modules/@scope/inner/types.d.ts',
    'node_modules/outer/dist/extra.d.ts',
    'node_modules/outer/dist/index.d.cts',
    'node_modules/outer/dist/more.d.ts',
    'node_modules/outer/dist/part.d.ts',
    'node_modules/outer/package.json',
  ]);
  expect(files['node_modules/@scope/inner/types.d.ts']).toContain('interface Inner');
  expect(leftOut).toEqual({});
});

test('a library without declarations has those of its package of types, of the same major version', async () => {
  const plain: Published = { version: '4.2.0', files: { 'index.js': 'exports.chunk = 1;' } };
  registry.publish('@types/plain', { version: '4.1.0', files: { 'index.d.ts': 'export const chunk: 4;' } });
  registry.publish('@types/plain', { version: '5.0.0', files: { 'index.d.ts': 'export const chunk: 5;' } });
  registry.publish('@types/scope__named', {
    manifest: { dependencies: { '@types/node': '*', base: '1' } },
    files: { 'index.d.ts': "/// <reference types='node' />\nimport 'base';" },
  });
  registry.publish('base', { files: { 'index.d.ts': 'export const base: 1;' } });
  registry.publish('@types/node', { files: { 'index.d.ts': 'declare const own: 1;' } });
  const { files, leftOut } = await collected(
    { plain, '@scope/named': {}, bare: {} },
    undefined,
    // Named in devDependencies, also one that the registry lacks.
    { '@types/gone': '^3.0.0', '@types/scope__named': '^1.0.0' },
  );
  expect(files['node_modules/@types/plain/index.d.ts']).toBe('export const chunk: 4;');
  expect(Object.keys(files)).toContain('node_modules/@types/scope__named/index.d.ts');
  expect(Object.keys(files).filter(path => path.includes('bare'))).toEqual([]);
  expect(files['node_modules/base/index.d.ts']).toBeDefined();
  expect(files['node_modules/@types/node/index.d.ts']).toBeUndefined();
  expect(leftOut).toEqual({ '@types/gone': expect.stringContaining('no library @types/gone') });
});

test('each package gets the version of its dependency that Node would load', async () => {
  registry.publish('twice', { version: '1.0.0', files: { 'index.d.ts': 'export const version: 1;' } });
  registry.publish('twice', { version: '2.0.0', files: { 'index.d.ts': 'export const version: 2;' } });
  const old: Published = {
    manifest: { dependencies: { twice: '1' } },
    files: { 'index.d.ts': "export * from 'twice';" },
  };
  const { files } = await collected({ 'uses-old': old }, ['twice', 'uses-old']);
  expect(files['node_modules/twice/index.d.ts']).toContain('2');
  expect(files['node_modules/uses-old/node_modules/twice/index.d.ts']).toContain('1');
});

test('libraries with too many types are left out, and those after them that fit are not', async () => {
  const long = `export type Long = '${'x'.repeat(1_500_000)}';\n`;
  const parts = ['a', 'b', 'c'].map(name => [`${name}.d.ts`, long] as const);
  const { leftOut, paths, files } = await collected({
    'first-small': { files: { 'index.d.ts': 'export const small: 1;' } },
    huge: {
      files: {
        'index.d.ts': parts.map(([name]) => `export * from './${name.slice(0, 1)}';`).join('\n'),
        ...Object.fromEntries(parts),
      },
    },
    'many-parts': { files: { 'index.d.ts': 'export {};', ...Object.fromEntries(parts) } },
    small: { files: { 'index.d.ts': 'export const small: 1;' } },
  });
  expect(leftOut).toEqual({ huge: expect.stringContaining('4 MiB') });
  expect(paths).toEqual(
    expect.arrayContaining(['first-small', 'small'].map(name => `node_modules/${name}/index.d.ts`)),
  );
  // As many of its parts as fit.
  expect(paths.filter(path => /many-parts\/[abc]/.test(path))).toHaveLength(2);
  const chars = Object.values(files).reduce((sum, text) => sum + text.length, 0);
  expect(chars).toBeLessThanOrEqual(DECLARATION_LIMITS.chars);
});

/** Makes an archive of entries of any kind. */
const archiveOf = (entries: { name: string; text?: string; type?: string; target?: string }[]): Buffer =>
  gzipSync(
    Buffer.concat(
      entries.flatMap(({ name, text = '', type, target }) => [
        tarHeader(name, text.length, type, target),
        Buffer.from(text.padEnd(Math.ceil(text.length / 512) * 512, '\0')),
      ]),
    ),
  );

test('archives with links, paths out of their folder and hostile texts do no harm', async () => {
  const text = `import '../../../../etc/passwd';\n/// <reference path="/etc/passwd" />\nimport '../other';\nfrom${' '.repeat(500_000)}'`;
  const { paths, files } = await collected({
    hostile: {
      archive: archiveOf([
        {
          name: 'package/package.json',
          text: '{"name":"hostile","version":"1.0.0","exports":{".":{"types":"./../../x.d.ts","default":"./index.js"}}}',
        },
        { name: 'package/linked.d.ts', type: '2', target: '/etc/passwd' },
        { name: 'package/hard.d.ts', type: '1', target: 'package/package.json' },
        { name: 'package/../../../escaped.d.ts', text: 'export {};' },
        { name: '/etc/absolute.d.ts', text: 'export {};' },
        { name: 'package/__proto__/index.d.ts', text: 'export {};' },
        { name: 'package/index.d.ts', text: `${text}\nexport * from './linked';\nexport * from './__proto__';` },
      ]),
    },
    // Deeply nested conditions.
    deep: { manifest: { exports: JSON.parse(`${'{"types":'.repeat(500)}1${'}'.repeat(500)}`) } },
  });
  expect(paths.filter(path => !path.startsWith('node_modules/hostile/'))).toEqual([]);
  expect(paths.filter(path => /passwd|linked|hard|\.\./.test(path))).toEqual([]);
  expect(files['node_modules/hostile/index.d.ts']).toContain('linked');
});

test('an archive that unpacks to too much is left out', async () => {
  const zeros = gzipSync(Buffer.alloc(16 * 1024 * 1024));
  const head = archiveOf([{ name: 'package/package.json', text: '{"name":"bomb","version":"1.0.0"}' }]);
  // A file of 8 GiB, by its header.
  const header = gzipSync(tarHeader('package/index.d.ts', 0o77777777777));
  const { leftOut, paths } = await collected({
    bomb: { archive: Buffer.concat([head, header, ...Array.from({ length: 20 }, () => zeros)]) },
    fine: { files: { 'index.d.ts': 'export const fine: 1;' } },
  });
  expect(paths).toContain('node_modules/fine/index.d.ts');
  expect(Object.keys(leftOut)).toEqual(['bomb']);
});
