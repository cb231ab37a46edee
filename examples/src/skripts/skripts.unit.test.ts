import { readdirSync, readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { BUILT_IN_LIBRARIES, LIMITS } from '@trawl/contracts';

const home = join(__dirname, '../../skripts');
const folders = readdirSync(home).filter(name => statSync(join(home, name)).isDirectory());
const filesOf = (folder: string): string[] =>
  readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' }).filter(name => /\.\w+$/.test(name));
const textOf = (...path: string[]): string => readFileSync(join(home, ...path), 'utf8');
const dataOf = (...path: string[]): Record<string, unknown> => JSON.parse(textOf(...path));

const index = dataOf('index.json') as { default: string; order: string[] };

test('lists every skript once in the index, including the default', () => {
  expect([...index.order].sort()).toEqual([...folders].sort());
  expect(index.order).toContain(index.default);
});

test('has the placeholder URL in every input with base_url', () => {
  const inputs = folders.flatMap(folder =>
    filesOf(folder)
      .filter(name => /^input.*\.json$/.test(name))
      .map(name => dataOf(folder, name)),
  );
  const addresses = inputs.flatMap(input => ('base_url' in input ? [input.base_url] : []));
  expect(addresses).toEqual(Array(5).fill('http://127.0.0.1:3001'));
});

test('has unique titles', () => {
  expect(new Set(folders.map(folder => dataOf(folder, 'manifest.json').title)).size).toBe(folders.length);
});

describe.each(folders)('%s', folder => {
  test('has a valid manifest', () => {
    const { worker_response_timeout, ...texts } = dataOf(folder, 'manifest.json');
    expect(texts).toEqual({
      title: expect.stringMatching(/\S/),
      description: expect.stringMatching(/\.$/),
      thumbnail: '',
      category: expect.stringMatching(/^[a-z-]+$/),
      environment: folder === 'with-a-browser' ? 'browser' : 'nodejs',
    });
    expect(worker_response_timeout).toBeGreaterThanOrEqual(LIMITS.workerResponseTimeoutMs.min);
    expect(worker_response_timeout).toBeLessThanOrEqual(LIMITS.workerResponseTimeoutMs.max);
  });

  test('has a main.js, a howto, and inputs with valid names', () => {
    const files = filesOf(folder);
    expect(files).toEqual(expect.arrayContaining(['main.js', 'howto.md', 'manifest.json']));
    const rest = files.filter(name => !/^(main\.js|howto\.md|manifest\.json|lib\/[a-z-]+\.js)$/.test(name));
    expect(rest.length).toBeGreaterThan(0);
    for (const name of rest) {
      expect(name).toMatch(/^input\w*\.json$/);
      expect(dataOf(folder, name)).toEqual(expect.any(Object));
    }
  });

  test('requires only its own files, Node and built-in libraries', () => {
    for (const file of filesOf(folder).filter(name => name.endsWith('.js'))) {
      const needed = [...textOf(folder, file).matchAll(/require\('([^']+)'\)/g)].map(([, name]) => name ?? '');
      const allowed = [...BUILT_IN_LIBRARIES, ...builtinModules.map(name => `node:${name}`)];
      expect(needed.filter(name => !name.startsWith('./') && !allowed.includes(name))).toEqual([]);
    }
  });
});
