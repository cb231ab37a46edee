import { bundleFiles } from './bundle.js';

/**
 * Builds a skript and returns what its main file exports; the messages of the problems if it cannot be built.
 *
 * @param library the exports of each library; by default an object with its name
 */
async function exportsOf(files: Record<string, string>, library?: object): Promise<unknown> {
  const [main = ''] = Object.keys(files);
  const result = await bundleFiles({
    files: new Map(Object.entries(files)),
    main,
    libraries: ['cheerio'],
    browserLibraries: [],
    aliases: {},
    footer: '',
  });
  if ('problems' in result) return result.problems.map(({ file, message }) => `${file}: ${message}`);
  const module = { exports: {} as any };
  new Function('module', 'exports', 'require', result.code)(
    module,
    module.exports,
    (name: string) => library ?? { name },
  );
  return (await module.exports).default;
}

const WHICH = { 'src/util.ts': "export default 'src';", 'src/lib/util.ts': "export default 'lib';" };

test('paths of tsconfig.json count only for names that are not relative', async () => {
  const tsconfig = '{ "compilerOptions": { "baseUrl": ".", "paths": { "*": ["src/*"] } } }';
  const files = { ...WHICH, 'tsconfig.json': tsconfig, 'src/lib/a.ts': "export { default } from './util';" };
  expect(await exportsOf({ 'main.ts': "export { default } from './src/lib/a';", ...files })).toBe('lib');
  expect(await exportsOf({ 'main.ts': "export { default } from 'util.ts';", ...files })).toBe('src');
});

test('no setting replaces a module of Node', async () => {
  const files = {
    'src/events.ts': "export default 'own';",
    'tsconfig.json': '{ "compilerOptions": { "baseUrl": "src", "paths": { "events": ["src/events"] } } }',
    'package.json': '{ "imports": { "fs": "./src/events.ts" } }',
  };
  const main = "import events from 'events';\nimport fs from 'fs';\nexport default [events.name, fs.name];";
  expect(await exportsOf({ 'main.ts': main, ...files })).toEqual(['events', 'fs']);
});

test('the conditions of imports in package.json count in their order', async () => {
  const imports = { '#x': { browser: './b.js', node: './n.js', default: './d.js' } };
  const files = { 'b.js': '', 'n.js': "export default 'n';", 'd.js': '', 'package.json': JSON.stringify({ imports }) };
  expect(await exportsOf({ 'main.mjs': "export { default } from '#x';", ...files })).toBe('n');
});

test('configurations that extend each other in circles are read once', async () => {
  const circle = JSON.stringify({ extends: Array.from({ length: 40 }, () => './tsconfig.json') });
  expect(await exportsOf({ 'main.ts': 'export default 1;', 'tsconfig.json': circle })).toBe(1);
});

test.each([
  ['an empty tsconfig.json', '', 1],
  ['options of a wrong type', '{ "compilerOptions": { "jsx": [[[]]], "paths": 3, "baseUrl": {} }, "extends": 1 }', 1],
  [
    'a prototype',
    '{ "__proto__": { "compilerOptions": 1 }, "compilerOptions": { "paths": { "__proto__": ["x"] } } }',
    1,
  ],
  ['text that is not JSON', '{ "compilerOptions"', [expect.stringMatching(/^tsconfig\.json: JSON5: invalid/)]],
])('%s is no reason for a wrong build', async (_, tsconfig, expected) => {
  expect(await exportsOf({ 'main.ts': 'export default 1;', 'tsconfig.json': tsconfig })).toEqual(expected);
});

test.each(['../../etc/passwd', '/etc/passwd', 'src/../../x'])('paths to %s stay inside the skript', async target => {
  const tsconfig = JSON.stringify({ compilerOptions: { baseUrl: '..', paths: { '@x': [target] } } });
  const built = await exportsOf({ 'main.ts': "export { default } from '@x';", 'tsconfig.json': tsconfig });
  expect(built).toEqual([expect.stringContaining('The library @x is not available')]);
});

test('CommonJS files stay sloppy if another file has await outside functions', async () => {
  const files = { 'old.cjs': 'counter = 1;\nmodule.exports = () => delete globalThis.counter;' };
  expect(
    await exportsOf({ 'main.mjs': "await 0;\nimport old from './old.cjs';\nexport default old();", ...files }),
  ).toBe(true);
});

test.each(['main.mjs', 'main.mts', 'main.js', 'main.ts'])(
  '%s gets the default export of a library that is an ES module',
  async main => {
    const library = { __esModule: true, default: 'its default', [Symbol.toStringTag]: 'Module' };
    const code = "import library from 'cheerio';\nexport default library;";
    expect(await exportsOf({ [main]: code }, library)).toBe('its default');
    expect(await exportsOf({ [main]: `await null;\n${code}` }, library)).toBe('its default');
  },
);

test.each([
  [
    'a crawler with Puppeteer needs a browser',
    "import { PuppeteerCrawler } from 'crawlee';\nawait PuppeteerCrawler;",
    true,
  ],
  ['a crawler with Playwright needs a browser', "const { PlaywrightCrawler } = require('crawlee');", true],
  ['a crawler without a browser needs none', "import { CheerioCrawler } from 'crawlee';\nawait CheerioCrawler;", false],
  ['another PuppeteerCrawler needs none', "require('cheerio').PuppeteerCrawler;", false],
])('%s', async (_, code, needsBrowser) => {
  const options = {
    main: 'main.mjs',
    libraries: ['crawlee', 'cheerio'],
    browserLibraries: [],
    aliases: {},
    footer: '',
  };
  const result = await bundleFiles({ ...options, files: new Map([['main.mjs', code]]) });
  expect('problems' in result ? result.problems : result.browserImport !== null).toBe(needsBrowser);
});
