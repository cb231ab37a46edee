import { typePack } from '../src/collect-types.js';
import { CodeService, type PackName } from '../src/index.js';

const loaded: PackName[] = [];
const service = new CodeService(async name => {
  loaded.push(name);
  return typePack(name);
});

/** Names that the editor suggests where the text has a `|`. */
async function suggested(marked: string): Promise<string[]> {
  const position = marked.indexOf('|');
  const content = marked.replace('|', '');
  return (await service.suggestions({ name: 'main.js', content }, position))?.items.map(({ name }) => name) ?? [];
}

const problemsOf = async (content: string) =>
  (await service.problems({ name: 'main.js', content })).map(({ from, to, message }) => ({
    at: content.slice(from, to),
    message,
  }));

it.each([
  ["const { echo } = require('@trawl/echo');\necho.|", ['log', 'warn', 'image', 'table']],
  ["const { dataset } = require('@trawl/storage');\ndataset.|", ['push']],
  ["const { mongo } = require('@trawl/storage');\nmongo.collection('a').|", ['find', 'insertOne']],
  ["import { HttpClient } from '@trawl/httpclient';\nnew HttpClient().|", ['json', 'form']],
  ["const { FunctionFlow } = require('@trawl/functionflow');\nnew FunctionFlow().|", ['goTo', 'delay']],
  ['trawl.|', ['execution_id', 'eventEmitter']],
  [
    "const puppeteer = require('puppeteer');\nasync () => (await (await puppeteer.launch()).newPage()).|",
    ['goto', '$$eval'],
  ],
  ["const cheerio = require('cheerio');\nconst $ = cheerio.load('');\n$('a').|", ['attr', 'first']],
  ["require('axios').|", ['get', 'post']],
  ["import got from 'got';\ngot.|", ['get', 'extend']],
  ["const { parse } = require('csv-parse/sync');\nparse|", ['parse', 'parseInt']],
  ["require('node:fs').readF|", ['readFileSync']],
  ["require('|')", ['@trawl/echo', 'puppeteer', './lib/prices.js']],
  ["const { total } = require('./lib/prices.js');\ntotal([]).|", ['toFixed']],
])('the skript editor suggests the names that fit at the cursor in %j', async (text, names) => {
  service.setFiles([{ name: 'lib/prices.js', content: 'exports.total = () => 1;\n' }]);
  expect(await suggested(text)).toEqual(expect.arrayContaining(names));
});

it('the skript editor loads the types of a library only when a file imports it', async () => {
  const names: PackName[] = [];
  const fresh = new CodeService(async name => {
    names.push(name);
    return {};
  });
  await fresh.problems({ name: 'main.js', content: "require('@trawl/echo');" });
  expect(names.sort()).toEqual(['language', 'trawl']);
  await fresh.problems({ name: 'main.js', content: "require('puppeteer');" });
  expect(names).toEqual(['language', 'trawl', 'puppeteer']);
  expect(new Set(loaded).size).toBe(loaded.length);
});

it('the skript editor describes a suggestion with its signature and documentation', async () => {
  const content = "const { echo } = require('@trawl/echo');\necho.l";
  const text = await service.suggestionText({ name: 'main.js', content }, content.length, 'log');
  expect(text?.signature).toContain('log(');
  expect(text?.documentation).not.toBe('');
});

it('the skript editor reports a syntax error once, and also the next one on a later line', async () => {
  expect((await problemsOf('const = 3;\nconst = 4;')).map(({ at }) => at)).toEqual(['=', '=']);
});

it.each([
  ["const { echo } = require('@trawl/echo');\necho.l|og('a');", 'log', /log\(/, /./],
  ["const { dataset } = require('@trawl/storage');\ndataset.pu|sh({});", 'push', /push\(/, /./],
  ['JSON.pars|e("1")', 'parse', /parse\(text: string/, /JavaScript Object Notation/],
])('the skript editor documents the name at the cursor in %j', async (marked, name, signature, documentation) => {
  const content = marked.replace('|', '');
  const text = await service.symbolText({ name: 'main.js', content }, marked.indexOf('|'));
  expect(text).toMatchObject({
    signature: expect.stringMatching(signature),
    documentation: expect.stringMatching(documentation),
  });
  expect(content.slice(text?.from, text?.to)).toBe(name);
});

it.each([
  ["const { echo } = require('@trawl/echo');\necho.progress(|)", /^done/],
  ["const { echo } = require('@trawl/echo');\necho.progress(1, |)", /^total/],
  // Further arguments belong to the last parameter.
  ["const { echo } = require('@trawl/echo');\necho.log(1, 2, 3|)", /^\.\.\./],
  ['parseInt("1", |)', /^radix/],
  ['setTimeout(() => { | }, 1)', null],
  ['const a = |1;', null],
])('the skript editor highlights the parameter at the cursor in %j', async (marked, parameter) => {
  const content = marked.replace('|', '');
  const hint = await service.callHint({ name: 'main.js', content }, marked.indexOf('|'), false);
  expect(hint?.parameter ?? null).toEqual(parameter && expect.stringMatching(parameter));
  if (hint) expect(`${hint.before}${hint.parameter}${hint.after}`).toMatch(/^\w+\(.*\): .+$/);
});

it('the skript editor describes a call from inside a function argument only on request', async () => {
  const content = 'setTimeout(() => {  }, 1)';
  const hint = await service.callHint({ name: 'main.js', content }, 19, true);
  expect(hint?.before).toBe('setTimeout(');
});

it.each([
  ['const a = ;', ';', /expression/i],
  ["const { echo } = require('@trawl/echo');\necho.lgo('a');", 'lgo', /'lgo'/],
  ["const { dataset } = require('@trawl/storage');\ndataset.psh({});", 'psh', /'push'/],
  [
    "const { HttpClient } = require('@trawl/httpclient');\nnew HttpClient({ timeoutMs: 'soon' });",
    'timeoutMs',
    /number/,
  ],
  ['module.exports = async () => missing + 1;', 'missing', /missing/],
  ["require('./gone.js');", "'./gone.js'", /gone/],
  ['const b = 1;\nb = 2;', 'b', /constant/],
  [
    "const $ = require('cheerio').load('');\n$('a').map((_, link) => link.attributes.title);",
    'title',
    /'title' does not exist on type 'Attribute\[\]'/,
  ],
  [
    "import * as cheerio from 'cheerio';\nconst $ = cheerio.load('');\n$('a')[0].attributes.title;",
    'title',
    /'title' does not exist on type 'Attribute\[\]'/,
  ],
])('the skript editor reports the mistake in %j at its place', async (text, at, message) => {
  service.setFiles([]);
  expect(await problemsOf(text)).toEqual([{ at, message: expect.stringMatching(message) }]);
});

it('the skript editor reports no problems in typical valid code', async () => {
  service.setFiles([{ name: 'data.json', content: '{ "a": 1 }' }]);
  const code = `
const puppeteer = require('puppeteer');
const { readFileSync } = require('node:fs');
const lodash = require('lodash');
const data = require('./data.json');
const { echo } = require('@trawl/echo');

const state = {};
let count = 1;
module.exports = async ({ url }, inputSecret) => {
  const browser = await puppeteer.launch();
  const page = await browser.newPage();
  await page.goto(url ?? process.env.URL, { waitUntil: 'networkidle2' });
  state.rows = await page.$$eval('.price', found => found.map(one => one.innerText));
  const title = await page.evaluate(() => $('h1').text() + window.__STATE__.title + document.querySelector('a').href);
  await page.click('a');
  (await page.$('a')).click();
  count = title;
  trawl.eventEmitter.on('ff-stop', () => browser.close());
  const failure = new Error('no');
  failure.code = inputSecret.code;
  try {
    lodash.chunk(state.rows, 2);
  } catch (error) {
    echo.error(error.message, readFileSync(__dirname + '/a.txt', 'utf8'), data.a, Buffer.from('a'));
    throw failure;
  }
  return count;
};
`;
  expect(await problemsOf(code)).toEqual([]);
});

describe('with the types of npm libraries', () => {
  const LIBRARIES = {
    key: 'a',
    files: [
      { path: 'node_modules/small/package.json', content: '{ "types": "index.d.ts" }' },
      {
        path: 'node_modules/small/index.d.ts',
        content:
          "import { Inner } from 'inner';\n/** Measures it. */\nexport function size(of: Buffer): Inner;\nexport const gone: import('gone').Gone;",
      },
      { path: 'node_modules/inner/package.json', content: '{ "exports": { "import": { "types": "./inner.d.ts" } } }' },
      { path: 'node_modules/inner/inner.d.ts', content: 'export interface Inner { width: number }' },
      { path: 'node_modules/@types/loose/index.d.ts', content: 'export const loose: { depth: number };' },
      { path: 'node_modules/axios/package.json', content: '{ "version": "0.1.0" }' },
      { path: 'node_modules/axios/index.d.ts', content: 'export const onlyOld: 1;' },
    ],
    left_out: [{ library: '@big/one', reason: 'Its types are too large.' }],
  };
  const NONE = { key: '', files: [], left_out: [] };
  const IMPORTS = "import { size } from 'small';\nimport { loose } from 'loose';\n";

  beforeEach(() => {
    service.setFiles([]);
    service.setLibraries(NONE);
  });

  it('the skript editor suggests the libraries that package.json names', async () => {
    const content = '{ "dependencies": { "small": "1", "axios": "0" } }';
    service.setFiles([{ name: 'package.json', content }]);
    const names = await suggested("require('|')");
    expect(names.filter(name => /small|axios/.test(name))).toEqual(['small', 'axios']);
  });

  it('the skript editor suggests, describes and checks their names as soon as the types arrive', async () => {
    const wrong = `${IMPORTS}size(1).widht;\nloose.dept;`;
    expect(await problemsOf(wrong)).toEqual([]);
    service.setLibraries(LIBRARIES);
    expect((await problemsOf(wrong)).map(({ message }) => message)).toEqual([
      expect.stringContaining('Buffer'),
      expect.stringContaining("'widht' does not exist on type 'Inner'"),
      expect.stringContaining("'dept' does not exist"),
    ]);
    expect(await suggested(`${IMPORTS}size(Buffer.from('')).|`)).toEqual(['width']);
    const content = `${IMPORTS}size`;
    const text = await service.symbolText({ name: 'main.js', content }, content.length - 1);
    expect(text).toMatchObject({ documentation: 'Measures it.' });
    service.setLibraries(NONE);
    expect(await problemsOf(wrong)).toEqual([]);
  });

  it('the skript editor accepts any use of types that are missing', async () => {
    service.setLibraries(LIBRARIES);
    expect(await problemsOf("import { gone } from 'small';\nimport other from 'other';\ngone.a.b(other.c);")).toEqual(
      [],
    );
  });

  it('the skript editor prefers the version of a library that package.json names to the one that every run has', async () => {
    service.setLibraries(LIBRARIES);
    expect(await suggested("require('axios').|")).toEqual(['onlyOld']);
  });

  it('the skript editor accepts in JavaScript that a library exports its default with `module.exports` too', async () => {
    const content =
      'declare const ask: { (url: string): number; get(url: string): number; };\nexport const version: string;\nexport default ask;';
    const type = { path: 'node_modules/asking/index.d.ts', content };
    const named = { path: 'node_modules/named/index.d.ts', content: 'export const ask: 1;' };
    service.setLibraries({ key: 'asking', files: [type, named], left_out: [] });
    const code = "const asking = require('asking');\nasking('a');\nasking.get('a');\nasking.version;\n";
    expect(await problemsOf(code)).toEqual([]);
    const wrong = await problemsOf(`${code}asking.gett('a');\nrequire('named')();`);
    expect(wrong.map(({ message }) => message)).toEqual([
      expect.stringContaining("'gett' does not exist"),
      expect.stringContaining('not callable'),
    ]);
  });

  it('the skript editor says at the import why a library has no types', async () => {
    service.setLibraries(LIBRARIES);
    const content = "const one = require('@big/one/part');\none.anything();";
    const problems = await service.problems({ name: 'main.js', content });
    expect(problems.map(({ from, to, ...problem }) => ({ at: content.slice(from, to), ...problem }))).toEqual([
      { at: "'@big/one/part'", severity: 'info', message: 'Its types are too large.' },
    ]);
  });

  it('the check of all files knows them, and does not check them', async () => {
    const wrongInside = { path: 'node_modules/small/wrong.d.ts', content: 'export const a: string = 1;' };
    service.setLibraries({ ...LIBRARIES, key: 'b', files: [...LIBRARIES.files, wrongInside] });
    const content = `${IMPORTS}import 'small/wrong';\nexport const n: string = size(Buffer.from('')).width;`;
    const problems = await service.allProblems([{ name: 'main.ts', content }]);
    expect(problems.map(({ file, message }) => `${file} ${message}`)).toEqual([
      "main.ts Type 'number' is not assignable to type 'string'.",
    ]);
  });

  it('the skript editor knows the rest again without types that are too deep for TypeScript', async () => {
    const deep = { path: 'node_modules/deep/index.d.ts', content: `export type Deep = ${'['.repeat(100_000)}` };
    service.setLibraries({ key: 'deep', files: [deep], left_out: [] });
    const content = "import 'deep';\n";
    await expect(service.problems({ name: 'main.js', content })).rejects.toThrow(RangeError);
    service.setLibraries(NONE);
    expect(await problemsOf(`${content}const b = 1;\nb = 2;`)).toEqual([{ at: 'b', message: expect.anything() }]);
  });
});
