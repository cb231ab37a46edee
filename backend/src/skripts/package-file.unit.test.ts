import { readPackageFile } from './package-file.js';

const read = (content: string) => readPackageFile([{ name: 'package.json', content }]);
const asking = (dependencies: unknown) => read(JSON.stringify({ dependencies }, null, 2));

test('a skript without a package.json, or without dependencies in it, asks for no library', () => {
  for (const files of [[], [{ name: 'package.json', content: '{ "type": "module" }' }]]) {
    expect(readPackageFile(files)).toEqual({ libraries: {}, warnings: [] });
  }
});

test.each(['1.2.3', '^1.2.0', '>=1 <3', '*', '', 'latest', 'next', '1.x || 2.x', 'npm:other@^1'])(
  'a library may be asked for as %p',
  range =>
    expect(asking({ ms: range, '@scope/x': range })).toEqual({
      libraries: { ms: range, '@scope/x': range },
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
])('%p is no version of the registry, and is refused at its place', range => {
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

test.each(['../x', 'a/b/c', '.hidden', 'node_modules', 'x y', 'http://x', '@scope'])('%p is no name', name => {
  expect(asking({ [name]: '1' })).toEqual({ problems: [expect.objectContaining({ file: 'package.json', line: 3 })] });
});

test('what the platform brings is not looked for at the registry', () => {
  expect(asking({ '@trawl/echo': '*', puppeteer: '^24', axios: '^1' })).toEqual({
    libraries: { axios: '^1' },
    warnings: [],
  });
});

test('what is written otherwise than npm reads it is told', () => {
  expect(read('{ dependencies: 1 }')).toEqual({
    problems: [expect.objectContaining({ message: expect.stringContaining('no JSON') })],
  });
  for (const content of ['[]', '7', 'null', '{ "dependencies": ["ms"] }'])
    expect(read(content)).toHaveProperty('problems');
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`x${n}`, '1']));
  expect(asking(many)).toEqual({
    problems: [expect.objectContaining({ message: expect.stringContaining('101 libraries') })],
  });
});

test('what is not looked at is a warning', () => {
  expect(read('{\n "overrides": { "ms": "file:.." } }')).toEqual({
    libraries: {},
    warnings: [
      expect.objectContaining({
        line: 2,
        message: expect.stringContaining('overrides in package.json is not looked at'),
      }),
    ],
  });
});
