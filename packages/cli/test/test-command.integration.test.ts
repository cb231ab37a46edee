import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { trawl as hostedTrawl } from '../../../e2e/harness/hosted-trawl.js';
import { startTrawl } from '../../../e2e/harness/trawl-process.js';
import { until } from '../../../e2e/harness/until.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-test-'));
  write({ 'manifest.json': '{ "title": "Books" }' });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const trawl = (...args: string[]) => hostedTrawl(args, { cwd: folder });

const SKRIPT = {
  'main.ts': `import * as cheerio from 'cheerio';
import { echo } from '@trawl/echo';
import { dataset, kv } from '@trawl/storage';
import { titleOf } from '#own/title';
export default async function main({ url }: { url: string }): Promise<number> {
  const $ = cheerio.load(await (await fetch(url)).text());
  await dataset.push($('li').get().map(li => ({ title: titleOf($(li).text()) })));
  echo.log('read', url);
  await kv.set('read', true);
  const books: number = $('li').length;
  if (books === 0) throw new Error('no books');
  return books;
}`,
  'lib/title.ts': 'export const titleOf = (text: string): string => text.trim();',
  'package.json': '{ "imports": { "#own/*": "./lib/*.ts" } }',
  'pages/index.html': '<ul><li> Sea <li>Sails</ul>',
  'test/main.test.ts': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSkript, servePages } from '@trawl/testing';
import main from '../main.ts';

test('stores every book', async () => {
  await using shop = await servePages({}, { folder: 'pages' });
  const { output, rows, echoes } = await runSkript(main, { input: { url: shop.url } });
  assert.equal(output, 2);
  assert.deepEqual(rows, [{ title: 'Sea' }, { title: 'Sails' }]);
  assert.deepEqual(echoes.map(echo => echo.msg), ['read ' + shop.url]);
});`,
};

test('`trawl test` runs a TypeScript test of a skript with its libraries, and keeps no file', async () => {
  write(SKRIPT);
  const { code, stdout, stderr } = await trawl('test');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/✔ stores every book.*pass 1\n.*fail 0\n/s);
  expect(readdirSync(join(folder, '.trawl'))).toEqual([]);
});

test('a page server that a test leaves open keeps no process from ending', async () => {
  write({
    'open.test.js': `const assert = require('node:assert');
      const { test } = require('node:test');
      const { servePages } = require('@trawl/testing');
      const axios = require('axios');
      test('open', async () => {
        const { url } = await servePages({ '/': 'open' });
        await (await fetch(url)).text();
        await axios.get(url);
        await new Promise(setImmediate);
        const open = process.getActiveResourcesInfo().filter(name => name.startsWith('TCP'));
        assert.deepEqual(open, []);
      });`,
  });
  const { code, stdout } = await trawl('test');
  expect([code, stdout]).toEqual([0, expect.stringContaining('✔ open')]);
});

test('`trawl test` runs the examples of the page about the testing library', async () => {
  const page = readFileSync('website/docs/libs/testing.mdx', 'utf8');
  const titled = [...page.matchAll(/```js title="(.*?)"\n(.*?)```/gs)];
  write(Object.fromEntries(titled.map(([, name, text]) => [name, text])));
  const [, second = ''] = [...page.matchAll(/```js\n(.*?)```/gs)][0] ?? [];
  write({
    'storage.test.js': `const assert = require('node:assert');
      const { beforeEach, test } = require('node:test');
      const { runSkript } = require('@trawl/testing');
      const main = async () => kv.set('page', (await kv.get('page')) + 1);
      ${second}`,
  });
  const { code, stdout } = await trawl('test', '--json');
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ passed: 2, failed: 0 })]);
});

test('`trawl test` ends with exit code 1 if a test fails, and names the line of the skript', async () => {
  write({ ...SKRIPT, 'pages/index.html': '' });
  const { code, stdout, stderr } = await trawl('test');
  expect([code, stderr]).toEqual([1, 'Tests failed.\n']);
  expect(stdout).toMatch(/Error: no books\n\s+at main \(.*\/main\.ts:11:/);
  expect(readdirSync(join(folder, '.trawl'))).toEqual([]);
});

test('`trawl test --json` prints each test with its file and its state', async () => {
  write({
    'a.test.js': `const { test } = require('node:test');
      test('passes', () => {}); test.skip('left out', () => {}); test('fails', () => { throw new Error('red'); });`,
    'b.test.mjs': "import { test } from 'node:test'; await null; test('awaits', () => {});",
    'c.test.cjs': "const { test } = require('node:test'); test('old', () => {});",
    'd.test.mts':
      "import { describe, test } from 'node:test'; describe('all', () => { test('typed', (): void => {}); });",
    'e.test.js': "throw new Error('broken');",
    'not-a-test.js': 'throw 1;',
  });
  const { code, stdout } = await trawl('test', '--json');
  const { tests, ...counts } = JSON.parse(stdout);
  expect([code, counts]).toEqual([1, { passed: 4, failed: 2, skipped: 1 }]);
  expect(tests.map(({ name, file, state }: Record<string, string>) => `${file} ${name} ${state}`).sort()).toEqual([
    'a.test.js fails failed',
    'a.test.js left out skipped',
    'a.test.js passes passed',
    'b.test.mjs awaits passed',
    'c.test.cjs old passed',
    'd.test.mts typed passed',
    'e.test.js e.test.js failed',
  ]);
  expect(tests.find(({ state }: { state: string }) => state === 'failed').error).toMatch(/^Error: red\n/);
  const chosen = await trawl('test', 'b.test', 'c.test', '--name', 'old|typed', '--json');
  expect([chosen.code, JSON.parse(chosen.stdout).tests.map(({ name }: { name: string }) => name)]).toEqual([
    0,
    ['old'],
  ]);
});

test('modules of a test have the paths and the computed requires that they have in a run', async () => {
  write({
    'steps/one.js': "module.exports = { name: 'one', folder: __dirname };",
    'paths.test.js': `const { test } = require('node:test');
      const assert = require('node:assert');
      const { join } = require('node:path');
      const { own } = require('./esm/own.mjs');
      test('paths', async () => {
        const step = require('./steps/' + ['one'].join());
        assert.deepEqual(step, { name: 'one', folder: join(__dirname, 'steps') });
        assert.equal(__filename, join(process.cwd(), 'paths.test.js'));
        assert.equal(own(), join(__dirname, 'esm'));
        assert.equal(typeof (await import('cheerio')).load, 'function');
        assert.equal(require('node:module').createRequire(__filename)('axios').VERSION.length > 0, true);
      });`,
    'esm/own.mjs': 'export const own = () => import.meta.dirname;',
  });
  const { code, stdout } = await trawl('test');
  expect([code, stdout]).toEqual([0, expect.stringContaining('✔ paths')]);
});

test('`trawl test` ends on Ctrl-C with exit code 130, and removes its files', async () => {
  write({
    'hangs.test.js': `require('node:fs').writeFileSync('began', '');
      require('node:test').test('hangs', () => new Promise(resolve => setTimeout(resolve, 300_000)));`,
  });
  const child = startTrawl(['test'], { cwd: folder });
  const ended = once(child, 'close');
  child.stdout.resume();
  await until(async () => existsSync(join(folder, 'began')), 'the test');
  child.kill('SIGINT');
  expect((await ended)[0]).toBe(130);
  expect(readdirSync(join(folder, '.trawl'))).toEqual([]);
});

test('`trawl test` says so if a test cannot be bundled, or if there is none', async () => {
  expect(await trawl('test')).toEqual({
    code: 4,
    stdout: '',
    stderr: `${folder} has no file of a test. Tests are in files such as main.test.js.\n`,
  });
  write({ 'a.test.ts': "import './missing';" });
  const { code, stderr } = await trawl('test');
  expect([code, stderr]).toEqual([1, expect.stringContaining('The test a.test.ts cannot be bundled:\na.test.ts:1:')]);
  expect((await trawl('test', 'other')).stderr).toContain('has no file whose name contains other.');
});
