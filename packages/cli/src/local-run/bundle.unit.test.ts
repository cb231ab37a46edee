import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundleSkript, needsBrowser, warningsOf } from './bundle.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-cli-'));
  mkdirSync(join(folder, 'lib'));
  writeFileSync(join(folder, 'manifest.json'), '{ "title": "Test" }');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each<[main: string, isBrowser: boolean]>([
  ["const { launch } = require('puppeteer');\nmodule.exports = () => launch;", true],
  ["module.exports = async () => import('pptr-plus');", true],
  ["import { HttpClientPptr } from '@mikosoft/httpclient-pptr'; export default () => HttpClientPptr;", true],
  ['module.exports = () => \'To install it: require("puppeteer")\';', false],
])('a local run needs a browser only if the skript imports a browser library: %s', async (main, isBrowser) => {
  writeFileSync(join(folder, 'main.js'), "module.exports = require('./lib/pages.js');");
  writeFileSync(join(folder, 'lib', 'pages.js'), main);
  const bundle = await bundleSkript(folder);
  expect([bundle.browserImport !== null, await needsBrowser(bundle.code)]).toEqual([isBrowser, isBrowser]);
  const warning = expect.stringMatching(/^lib\/pages\.js:1:\d+: \S+ needs a browser, so this skript runs in/);
  expect(warningsOf(bundle)).toEqual(isBrowser ? [warning] : []);
  expect(warningsOf(bundle, 'browser')).toEqual([]);
});

it('bundling recognises a browser library that package.json installs under another name', async () => {
  writeFileSync(join(folder, 'package.json'), '{ "dependencies": { "pages": "npm:puppeteer@^24.0.0" } }');
  writeFileSync(join(folder, 'main.js'), "module.exports = () => [require('pages'), require('node:path'), toString];");
  const { code, warnings, browserImport } = await bundleSkript(folder);
  expect([code, warnings, browserImport]).toEqual([
    expect.stringContaining('require("puppeteer")'),
    [],
    expect.stringMatching(/^main\.js:1:33: pages needs a browser/),
  ]);
});

it('bundling follows no link, and says which files are links', async () => {
  symlinkSync(resolve('package.json'), join(folder, 'lib', 'settings.json'));
  writeFileSync(join(folder, 'main.js'), "module.exports = () => require('./lib/settings.json');");
  await expect(bundleSkript(folder)).rejects.toThrow(
    /no file lib\/settings\.json.*\nThese are not part of the skript: lib\/settings\.json \(a link\)\.$/,
  );
});

it('a finished bundle that requires httpclient-pptr/v2 needs a browser, even if other files are missing', async () => {
  expect(await needsBrowser('require("@mikosoft/httpclient-pptr/v2"); require("./not-here");')).toBe(true);
});

it('bundling names missing libraries of package.json, and asks to remove those that Trawl has built in', async () => {
  writeFileSync(join(folder, 'main.js'), "module.exports = () => require('cheerio');");
  const dependencies: Record<string, string> = { puppeteer: '^5.0.0', cheerio: '^1.0.0', 'left-pad': '^1.0.0' };
  const save = () => writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
  save();
  mkdirSync(join(folder, 'node_modules', 'left-pad'), { recursive: true });
  await expect(bundleSkript(folder)).rejects.toThrow(
    `These libraries are not installed: cheerio. Run npm install in ${folder}.`,
  );
  Object.assign(dependencies, { '@mikosoft/echo': '^1.0.0', shout: 'npm:echoer@^1.0.0' });
  save();
  await expect(bundleSkript(folder)).rejects.toThrow(
    `cheerio. Take @mikosoft/echo, shout out of package.json, then run npm install in ${folder}. These are built in`,
  );
  mkdirSync(join(folder, 'node_modules', 'cheerio'));
  expect((await bundleSkript(folder)).code).toContain('require("cheerio")');
});
