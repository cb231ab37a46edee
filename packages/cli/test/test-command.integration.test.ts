import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
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

/** The versions of Node that the worker installs for runs, and the one of this process. */
const NODES = ['node-22-linux', 'node-linux']
  .map(name => resolve('node_modules', `${name}-${process.arch}`, 'bin', 'node'))
  .filter(existsSync);

test.each([...new Set([process.execPath, ...NODES])])(
  '`trawl test` reports every failure, in a folder and files with characters of patterns, with %s',
  async node => {
    folder = join(folder, 'Books [old] {a,b}');
    write({
      'manifest.json': '{ "title": "Books" }',
      '[id].test.js': `const { test } = require('node:test');
        test('leaves a timer', () => void setInterval(() => {}, 1000));
        for (let n = 0; n < 500; n++) test('one of many ' + n, () => {});`,
      'slow.test.js': `const { writeFileSync } = require('node:fs');
        const { after, test } = require('node:test');
        test('leaves a second timer', () => void setInterval(() => {}, 1000));
        after(() => new Promise(resolve => setTimeout(resolve, 600)).then(() => writeFileSync('closed', '')));
        test('fails at the end', () => { throw new Error('red'); });`,
      'a.test.js': "require('node:test').test('fails', () => { throw new Error('red'); });",
      'after.test.js': `const { after, test } = require('node:test');
        after(() => { throw new Error('not closed'); }); test('before', () => {});`,
      'load.test.js': "throw new Error('not loaded');",
      'suite.test.js': "require('node:test').describe('suite', () => { throw new Error('no suite'); });",
      'none.test.js': '',
    });
    const child = startTrawl(['test', '--json'], { cwd: folder, node });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const { tests, ...counts } = JSON.parse(stdout);
    const failed = tests.filter(({ state }: { state: string }) => state === 'failed');
    const lines = failed.map(
      ({ file, name, error }: Record<string, string>) =>
        `${file} ${name}: ${/Error: .*?(red|not closed|not loaded|no suite)/.exec(error ?? '')?.[1] ?? error}`,
    );
    expect([lines.sort(), JSON.parse(stderr).exit_code]).toEqual([
      [
        'a.test.js fails: red',
        'after.test.js after.test.js: not closed',
        'load.test.js load.test.js: not loaded',
        'slow.test.js fails at the end: red',
        'suite.test.js suite: no suite',
      ],
      1,
    ]);
    expect(existsSync(join(folder, 'closed'))).toBe(true);
    expect(counts).toEqual({ passed: 503, failed: 5, skipped: 0 });
  },
);

test.each(['SIGINT', 'SIGHUP'] as const)(
  '`trawl test` ends on %s with exit code 130, and removes its files',
  async signal => {
    const child = await startHanging();
    child.stdout.resume();
    child.kill(signal);
    expect((await once(child, 'close'))[0]).toBe(130);
    expect(readdirSync(join(folder, '.trawl'))).toEqual([]);
  },
);

test('`trawl test` ends its tests and removes its files if the reader of its output ends', async () => {
  const child = await startHanging("console.log('one');");
  child.stdout.destroy();
  writeFileSync(join(folder, 'go'), '');
  await once(child, 'close');
  expect(readdirSync(join(folder, '.trawl'))).toEqual([]);
  const pid = Number(readFileSync(join(folder, 'began'), 'utf8'));
  await until(async () => !isAlive(pid), 'the end of the test');
});

/** Starts tests of which one does not end. It runs some code again and again once there is a file `go`. */
async function startHanging(code = '') {
  write({
    'hangs.test.js': `const { existsSync, renameSync, writeFileSync } = require('node:fs');
      const { test } = require('node:test');
      test('hangs', () => new Promise(resolve => setInterval(() => { if (existsSync('go')) ${code || ';'} }, 20)));
      writeFileSync('begins', String(process.pid));
      renameSync('begins', 'began');`,
  });
  const child = startTrawl(['test'], { cwd: folder });
  await until(async () => existsSync(join(folder, 'began')), 'the test');
  return child;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('`trawl test` deletes the files that killed programs have left after a day', async () => {
  write({ ...SKRIPT, '.trawl/test-old/0.cjs': '', '.trawl/test-new/0.cjs': '', '.trawl/storage/a.jsonl': '' });
  const at = Date.now() / 1_000 - 90_000;
  for (const name of ['test-old', 'storage']) utimesSync(join(folder, '.trawl', name), at, at);
  expect((await trawl('test')).code).toBe(0);
  expect(readdirSync(join(folder, '.trawl')).sort()).toEqual(['storage', 'test-new']);
});

test('tests of a skript can import its installed devDependencies', async () => {
  write({
    'package.json': '{ "devDependencies": { "fake-clock": "1", "missing": "1" } }',
    'node_modules/fake-clock/package.json': '{ "main": "index.js" }',
    'node_modules/fake-clock/index.js': 'exports.now = 7;',
    'a.test.mjs': `import { test } from 'node:test';
      import { now } from 'fake-clock';
      test('now is ' + now, () => {});`,
  });
  expect((await trawl('test')).stdout).toContain('✔ now is 7');
  write({ 'a.test.mjs': "import 'missing';" });
  expect((await trawl('test')).stderr).toContain('The library missing is not available.');
});

test('`trawl test --name` refuses a text that is no regular expression', async () => {
  write(SKRIPT);
  expect(await trawl('test', '--name', '(')).toEqual({
    code: 2,
    stdout: '',
    stderr: '--name must be a regular expression; you gave (. Invalid regular expression: /(/: Unterminated group.\n',
  });
  expect((await trawl('test', '--name', '/STORES/i')).stdout).toContain('✔ stores every book');
});

test('`trawl test` reports a test that cannot be bundled, and a folder without tests', async () => {
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
