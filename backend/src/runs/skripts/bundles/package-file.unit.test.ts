import { OLDER_LIBRARIES } from '@trawl/contracts';
import { readPackageFile } from './package-file.js';

const read = (content: string) => readPackageFile([{ name: 'package.json', content }]);
const asking = (dependencies: unknown) => read(JSON.stringify({ dependencies }, null, 2));

test('a skript without package.json or dependencies has no libraries', () => {
  for (const files of [[], [{ name: 'package.json', content: '{ "type": "module" }' }]]) {
    expect(readPackageFile(files)).toEqual({ libraries: {}, aliases: {}, node: 24, warnings: [] });
  }
});

test.each(['1.2.3', '^1.2.0', '>=1 <3', '*', '', 'latest', 'next', '1.x || 2.x', 'npm:other@^1'])(
  'package.json may ask for a library version as %p',
  range =>
    expect(asking({ ms: range, '@scope/x': range })).toEqual({
      libraries: { ms: range, '@scope/x': range },
      aliases: {},
      node: 24,
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
])('package.json is refused, with the line, for a version that is not in the npm registry: %p', range => {
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
  'package.json is refused, with the line, for an invalid package name: %p',
  name => {
    expect(asking({ [name]: '1' })).toEqual({ problems: [expect.objectContaining({ file: 'package.json', line: 3 })] });
  },
);

test('libraries that the worker provides are not requested from the npm registry', () => {
  expect(asking({ '@trawl/echo': '*', puppeteer: '^24', axios: '^1' })).toEqual({
    libraries: { axios: '^1' },
    aliases: {},
    node: 24,
    warnings: [],
  });
});

test('a library of the worker that package.json gives another name is taken from the worker', () => {
  const dependencies = {
    shout: 'npm:echoer@1.0.0',
    flow: ' npm:@mikosoft/functionflow',
    pages: 'npm:@mikosoft/httpclient-pptr@^2.0.0',
    chrome: 'npm:puppeteer@latest',
    alias: 'npm:other@^1',
  };
  expect(asking(dependencies)).toEqual({
    libraries: { alias: 'npm:other@^1' },
    aliases: {
      shout: 'echoer',
      flow: '@mikosoft/functionflow',
      pages: '@mikosoft/httpclient-pptr/v2',
      chrome: 'puppeteer',
    },
    node: 24,
    warnings: [],
  });
});

test.each(['*', '^99.0.0', 'git+https://git.example/x.git', 7])(
  'library names of older skripts are not requested from the npm registry, whatever the range: %p',
  range => {
    const older = [...OLDER_LIBRARIES, '@trawl/functionflow'];
    expect(asking(Object.fromEntries(older.map(name => [name, range])))).toEqual({
      libraries: {},
      aliases: {},
      node: 24,
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
])('the range %p decides which version of the older HTTP client a run loads', (range, module) => {
  expect(asking({ '@mikosoft/httpclient-pptr': range })).toEqual({
    libraries: {},
    aliases: module === undefined ? {} : { '@mikosoft/httpclient-pptr': module },
    node: 24,
    warnings: [],
  });
});

test('a package.json that is malformed or has more than 100 libraries is refused', () => {
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

test('fields of package.json that Trawl ignores cause a warning', () => {
  for (const field of ['workspaces', 'bundledDependencies', 'resolutions']) {
    expect(read(`{ "${field}": ["/etc"] }`)).toMatchObject({
      libraries: {},
      warnings: [{ message: expect.stringContaining(`Trawl ignores ${field} in package.json`) }],
    });
  }
  expect(read('{\n "overrides": { "ms": "file:.." } }')).toEqual({
    libraries: {},
    aliases: {},
    node: 24,
    warnings: [
      expect.objectContaining({
        line: 2,
        message: expect.stringContaining('Trawl ignores overrides in package.json'),
      }),
    ],
  });
});

test.each([
  ['>=14', 24],
  ['*', 24],
  ['^24.0.0', 24],
  ['22', 22],
  ['^22.17.0 || >=30', 22],
  ['>=18 <23', 22],
])('engines %p in package.json chooses Node %p', (node, chosen) => {
  expect(read(JSON.stringify({ engines: { node } }))).toMatchObject({ node: chosen, warnings: [] });
});

test.each(['^18', '>=99', '20.x || 18.x', 'node', 'x'.repeat(10_000)])(
  'engines %p in package.json matches no Node of Trawl and gets Node 24 with a warning',
  node => {
    const answer = read(JSON.stringify({ engines: { node } }, null, 2));
    expect(answer).toMatchObject({ node: 24, warnings: [{ file: 'package.json', line: 2 }] });
    const [warning] = 'warnings' in answer ? answer.warnings : [];
    expect(warning?.message).toContain(
      `asks for ${JSON.stringify(node.slice(0, 100))}. This skript runs with Node 24.`,
    );
  },
);

test.each([7, '22', ['>=22'], { node: 22 }, { node: ['22'] }])('engines %j gets Node 24 and a warning', engines => {
  const { node, warnings } = read(JSON.stringify({ engines })) as { node: number; warnings: { message: string }[] };
  expect([node, warnings[0]?.message]).toEqual([24, expect.stringContaining('engines in package.json asks for')]);
});

test.each([null, {}, { npm: '^1' }])('engines %j, without a Node version, gets Node 24 and no warning', engines => {
  expect(read(JSON.stringify({ engines }))).toMatchObject({ node: 24, warnings: [] });
});
