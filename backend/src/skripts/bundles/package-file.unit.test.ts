import { OLDER_LIBRARIES } from '@trawl/contracts';
import { readPackageFile } from './package-file.js';

const read = (content: string) => readPackageFile([{ name: 'package.json', content }]);
const asking = (dependencies: unknown) => read(JSON.stringify({ dependencies }, null, 2));

test('a skript without package.json or dependencies has no libraries', () => {
  for (const files of [[], [{ name: 'package.json', content: '{ "type": "module" }' }]]) {
    expect(readPackageFile(files)).toEqual({ libraries: {}, aliases: {}, warnings: [] });
  }
});

test.each(['1.2.3', '^1.2.0', '>=1 <3', '*', '', 'latest', 'next', '1.x || 2.x', 'npm:other@^1'])(
  'a library may be asked for as %p',
  range =>
    expect(asking({ ms: range, '@scope/x': range })).toEqual({
      libraries: { ms: range, '@scope/x': range },
      aliases: {},
      warnings: [],
    }),
);

test.each([
  'git+https://git.example/x.git',
  'git@git.example:a/b.git',
  'github:a/b',
  'a/b',
  'https://files.example/x.tgz',
  'file:../x',
  'link:../x',
  './x',
  '/etc',
  'C:\\x',
  'workspace:*',
  'npm:x@git+https://git.example/x.git',
  'npm:x@file:../y',
  `^${'1'.repeat(300)}`,
  7,
  null,
  { version: '1' },
])('refuses %p, which is not a version of the registry, at its line', range => {
  const answer = asking({ ms: '1', bad: range });
  expect(answer).toEqual({
    problems: [
      {
        message: expect.stringContaining('bad'),
        file: 'package.json',
        line: 4,
        column: 5,
        line_text: expect.stringContaining('"bad"'),
      },
    ],
  });
});

test.each(['../x', 'a/b/c', '.hidden', 'node_modules', 'x y', 'http://x', '@scope'])(
  'refuses %p, which is not a package name',
  name => {
    expect(asking({ [name]: '1' })).toEqual({ problems: [expect.objectContaining({ file: 'package.json', line: 3 })] });
  },
);

test('does not request libraries that the worker provides from the registry', () => {
  expect(asking({ '@trawl/echo': '*', puppeteer: '^24', axios: '^1' })).toEqual({
    libraries: { axios: '^1' },
    aliases: {},
    warnings: [],
  });
});

test('takes a library that has another name in package.json from the worker', () => {
  const dependencies = {
    shout: 'npm:echoer@1.0.0',
    flow: ' npm:@mikosoft/functionflow',
    pages: 'npm:@mikosoft/httpclient-pptr@^2.0.0',
    chrome: 'npm:puppeteer@latest',
    toString: 'npm:other@^1',
  };
  expect(asking(dependencies)).toEqual({
    libraries: { toString: 'npm:other@^1' },
    aliases: {
      shout: 'echoer',
      flow: '@mikosoft/functionflow',
      pages: '@mikosoft/httpclient-pptr/v2',
      chrome: 'puppeteer',
    },
    warnings: [],
  });
});

test.each(['*', '^99.0.0', 'git+https://git.example/x.git', 7])(
  'does not request the names of older skripts from the registry, whatever the range: %p',
  range => {
    const older = [...OLDER_LIBRARIES, '@trawl/functionflow'];
    expect(asking(Object.fromEntries(older.map(name => [name, range])))).toEqual({
      libraries: {},
      aliases: {},
      warnings: [],
    });
  },
);

test.each([
  ['^2.0.0', '@mikosoft/httpclient-pptr/v2'],
  ['2', '@mikosoft/httpclient-pptr/v2'],
  ['~2.1', '@mikosoft/httpclient-pptr/v2'],
  ['^3.0.0', undefined],
  ['>=2.0.0', undefined],
  ['^20.0.0', undefined],
  ['latest', undefined],
  [2, '@mikosoft/httpclient-pptr/v2'],
  [null, undefined],
])('%p of the older HTTP client decides which version a run loads', (range, module) => {
  expect(asking({ '@mikosoft/httpclient-pptr': range })).toEqual({
    libraries: {},
    aliases: module === undefined ? {} : { '@mikosoft/httpclient-pptr': module },
    warnings: [],
  });
});

test('reports a malformed package.json', () => {
  expect(read('{ dependencies: 1 }')).toEqual({
    problems: [expect.objectContaining({ message: expect.stringContaining('not valid JSON') })],
  });
  for (const content of ['[]', '7', 'null', '{ "dependencies": ["ms"] }'])
    expect(read(content)).toHaveProperty('problems');
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`x${n}`, '1']));
  expect(asking(many)).toEqual({
    problems: [expect.objectContaining({ message: expect.stringContaining('101 libraries') })],
  });
});

test('warns about ignored fields', () => {
  expect(read('{\n "overrides": { "ms": "file:.." } }')).toEqual({
    libraries: {},
    aliases: {},
    warnings: [
      expect.objectContaining({
        line: 2,
        message: expect.stringContaining('Trawl ignores overrides in package.json'),
      }),
    ],
  });
});
