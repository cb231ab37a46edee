import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SHAPES } from '../../../e2e/module-shapes/shapes.js';
import { BROWSER_SKRIPT, NODEJS_SKRIPT } from '../../../e2e/older-skripts/skripts.js';
import { sampleOf } from '../../../scripts/jest/sample.js';
import { typePack } from '../src/collect-types.js';
import { CodeService, type FilesOnDisk } from '../src/index.js';

/** The files of the folder that are no files of the skript. */
let others: Record<string, string> = {};
const disk: FilesOnDisk = {
  read: path => others[path],
  isFile: path => path in others,
  isFolder: path => Object.keys(others).some(name => name.startsWith(`${path}/`)),
};
/** All tests share it, because reading the types of the language takes most of the time. */
const service = new CodeService(async name => typePack(name), disk);

/** Problems of a skript with these files and, in its folder, these others, such as installed libraries. */
async function check(files: Record<string, string>, besides: Record<string, string> = {}): Promise<string[]> {
  others = besides;
  const problems = await service.allProblems(Object.entries(files).map(([name, content]) => ({ name, content })));
  return problems.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`);
}

function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    names
      .filter(name => statSync(join(folder, name)).isFile())
      .map(name => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

test('the check finds the type errors of TypeScript at their places, in files that main.ts imports too', async () => {
  const files = {
    'main.ts': "import { double } from './lib/maths';\n\nexport default (): string => double('2');",
    'lib/maths.ts': 'export const double = (n: number): number => n.lenght;',
  };
  expect(await check(files)).toEqual([
    "lib/maths.ts:1:48 Property 'lenght' does not exist on type 'number'.",
    "main.ts:3:30 Type 'number' is not assignable to type 'string'.",
    "main.ts:3:37 Argument of type 'string' is not assignable to parameter of type 'number'.",
  ]);
});

test.each([
  ["import * as cheerio from 'cheerio';", "cheerio.load('')('a').get().map(link => link.attributes.title);", /'title'/],
  ["import puppeteer from 'puppeteer';", 'puppeteer.launch().then(browser => browser.newPag());', /'newPage'/],
  ["import axios from 'axios';", "axios.get('/', { timeout: 'long' });", /number/],
  ["import got from 'got';", "got.gett('/');", /'gett?'/],
  ["import { parse } from 'csv-parse/sync';", "parse('', { colums: true });", /colum/],
  ["import { echo } from '@trawl/echo';", 'echo.lgo();', /'lgo'/],
  ["import { dataset } from '@trawl/storage';", 'dataset.psh({});', /'push'/],
  ["import { FunctionFlow } from '@trawl/functionflow';", 'new FunctionFlow().seriall([]);', /'serial'/],
  ["import Flow from '@mikosoft/functionflow';", 'new Flow().seriall([]);', /'serial'/],
  ["import Flow from 'functionflowx';", 'new Flow().seriall([]);', /'serial'/],
  ["import Echo from '@mikosoft/echo';", 'new Echo().lgo();', /'lgo'/],
  ["import Echoer from 'echoer';", 'new Echoer().lgo();', /'lgo'/],
  ["import { HttpClientPptr } from '@mikosoft/httpclient-pptr';", 'new HttpClientPptr().askOnc();', /'askOnce'/],
  ["import PptrPlus from 'pptr-plus';", 'new PptrPlus(null).autoscrol();', /'autoscroll'/],
  [
    "import { HttpClient } from '@trawl/httpclient';",
    "new HttpClient().html('/').then(({ content }) => content.trim().toFixed());",
    /'toFixed' does not exist on type 'string'/,
  ],
  ["import { servePages } from '@trawl/testing';", 'servePages(1, 2, 3, 4);', /arguments/],
  ["import { readFileSync } from 'node:fs';", 'readFileSync(true);', /boolean/],
  ['', 'Promise.withResolver();', /'withResolvers'/],
])('the check knows the types of what runs have: %s', async (imports, wrong, message) => {
  expect(await check({ 'main.ts': `${imports}\n${wrong}\nexport default () => 1;` })).toEqual([
    expect.stringMatching(message),
  ]);
});

test('the check accepts any use of the libraries that older skripts require without a version', async () => {
  const main =
    "const fs = require('fs-extra');\nmodule.exports = () => require('moment')().x(require('chalk').y, fs.z);";
  expect(await check({ 'main.js': main, 'part.ts': "import moment from 'moment';\nmoment().x();" })).toEqual([]);
});

test('the check knows a library by the name that package.json gives to it', async () => {
  const files = {
    'package.json': '{ "dependencies": { "pages": "npm:@mikosoft/httpclient-pptr@^2.0.0" } }',
    'main.ts':
      "import { HttpClientPptr } from 'pages';\nnew HttpClientPptr().defineExecutablePat();\nexport default 1;",
  };
  expect(await check(files)).toEqual([expect.stringMatching(/^main.ts:2:22 .*'defineExecutablePath'/)]);
});

test('the check knows the types of installed libraries, also of those that use Node’s', async () => {
  const files = { 'main.ts': "import { size } from 'small';\nexport default (): string => size(Buffer.from('a'));" };
  const installed = {
    'node_modules/small/package.json': '{ "name": "small", "types": "index.d.ts" }',
    'node_modules/small/index.d.ts': '/// <reference types="node" />\nexport function size(buffer: Buffer): number;',
    'node_modules/@types/node/index.d.ts': 'declare const Buffer: 1;',
  };
  expect(await check(files, installed)).toEqual(["main.ts:2:30 Type 'number' is not assignable to type 'string'."]);
  expect(await check({ 'main.ts': "import { size } from 'large';" })).toEqual([
    expect.stringContaining("Cannot find module 'large'"),
  ]);
});

test.each([
  ['libraries of older names', NODEJS_SKRIPT],
  ['Puppeteer', BROWSER_SKRIPT],
])('the check finds no problems in an older skript with %s', async (_, files) => {
  const texts = Object.entries(files).filter(
    ([name]) => /\.js(?:on)?$/.test(name) && !/^(?:dist|node_modules)\//.test(name),
  );
  // This file of the skript is wrong on purpose.
  const { 'page-script.js': _wrong, ...others } = Object.fromEntries(texts) as Record<string, string>;
  expect(await check(others)).toEqual([]);
});

test.each([
  'Date.UTC("2024", "3");',
  'const titled = ({ title, price }) => title + price; titled({ title: "Sails" });',
  'require("cheerio").load("")("p")[0].children[0].data.trim();',
])('the check of JavaScript accepts what runs, although types are missing: %s', async code => {
  expect(await check({ 'main.js': code })).toEqual([]);
  expect(await check({ 'main.ts': code.replace(/require\("cheerio"\)/, '(await import("cheerio"))') })).not.toEqual([]);
});

test.each([
  ['new (require("@trawl/httpclient").HttpClient)({ timeoutMs: "soon" });', /number/],
  ['/** @param {number} n */\nconst half = n => n / 2;\nhalf("2");', /number/],
])(
  'the check of JavaScript reports an argument that does not fit types which somebody wrote: %s',
  async (code, message) => {
    expect(await check({ 'main.js': code })).toEqual([expect.stringMatching(message)]);
  },
);

const LOOSE =
  'module.exports = ({ url }) => { const rows = {}; rows.first = url; return document.body.firstChild.href; };';

test('JavaScript is checked for obvious mistakes only, unless tsconfig.json sets checkJs', async () => {
  expect(await check({ 'main.js': LOOSE })).toEqual([]);
  expect(await check({ 'main.js': `${LOOSE}\nconst a = 1;\na = 2;` })).toEqual([expect.stringContaining('constant')]);
  const strict = { 'tsconfig.json': '{ "compilerOptions": { "checkJs": true } }', 'main.js': LOOSE };
  expect(await check(strict)).not.toEqual([]);
  const off = { 'tsconfig.json': '{ "compilerOptions": { "checkJs": false } }', 'main.js': 'const a = 1;\na = 2;' };
  expect(await check(off)).toEqual([]);
});

test('the check follows tsconfig.json: rules, paths, extends and the files that it names', async () => {
  const main = "import { n } from '#lib/n';\nexport default (input) => input.length + n.length;";
  const files = {
    'tsconfig.json': `{
      // Comments and last commas are allowed.
      "extends": "./rules/base.json",
      "compilerOptions": { "paths": { "#lib/*": ["./src/*"] }, },
      "exclude": ["drafts"]
    }`,
    'rules/base.json': '{ "compilerOptions": { "noImplicitAny": true, "target": "es5", "module": "commonjs" } }',
    'src/n.ts': 'export const n: number = await 1;',
    'drafts/new.ts': 'const wrong: number = "";',
    'main.ts': main,
  };
  expect(await check(files)).toEqual([
    "main.ts:2:17 Parameter 'input' implicitly has an 'any' type.",
    "main.ts:2:44 Property 'length' does not exist on type 'number'.",
  ]);
  const named = { ...files, 'tsconfig.json': '{ "files": ["drafts/new.ts"] }' };
  expect(await check(named)).toEqual([expect.stringMatching(/^drafts\/new\.ts:1:/)]);
});

test('the check reports mistakes in tsconfig.json', async () => {
  const files = {
    'tsconfig.json': '{ "compilerOptions": { "strict": "yes" } ',
    'main.js': 'module.exports = () => 1;',
  };
  const problems = await check(files);
  expect(problems).toContainEqual(expect.stringMatching(/^tsconfig\.json:1:\d+ '}' expected/));
  expect(problems).toContainEqual(expect.stringMatching(/^tsconfig\.json:.*'strict' requires a value of type boolean/));
});

test.each(['tsconfig.json', 'jsconfig.json'])('the check reports an unknown option at its place in %s', async name => {
  const files = { [name]: '{\n  "compilerOptions": { "strikt": true }\n}', 'main.js': '' };
  expect(await check(files)).toEqual([expect.stringMatching(RegExp(`^${name}:2:24 Unknown compiler option 'strikt'`))]);
});

test('the check reports a file that jsconfig.json extends but the skript lacks', async () => {
  const files = { 'jsconfig.json': '{ "extends": "./gone.json" }', 'main.js': '' };
  expect(await check(files)).toEqual([expect.stringMatching(/^jsconfig\.json:1:.*gone\.json/)]);
});

/** Shapes with types that TypeScript is right to complain about, although they run. */
const WRONG_SHAPES: Record<string, string[]> = {
  'a type error, which does not stop a build': [expect.stringContaining("Type 'string' is not assignable")],
};

test.each(sampleOf(Object.entries(SHAPES), { oneIn: 3 }))(
  'the check finds no false problems in the module shape %s',
  async (name, shape) => {
    expect(await check(shape.files)).toEqual(WRONG_SHAPES[name] ?? []);
  },
);

test.each([
  ...readdirSync('examples/skripts', { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => `examples/skripts/${name}`),
  ...readdirSync('website/samples', { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => `website/samples/${name}`),
  ...readdirSync('packages/cli/templates').map(name => `packages/cli/templates/${name}`),
])('the check finds no problems in %s', async folder => {
  const crawlee = { 'node_modules/crawlee/index.d.ts': 'declare const crawlee: any; export = crawlee;' };
  expect(await check(filesIn(folder), crawlee)).toEqual([]);
});

test('the check is about the files that it got, also if the editor asks about another file meanwhile', async () => {
  const slow = new CodeService(async name => {
    await new Promise(setImmediate);
    return typePack(name);
  });
  const files = [
    { name: 'main.ts', content: "import { n } from './n';\nexport const text: string = n;" },
    { name: 'n.ts', content: 'export const n = 1;' },
  ];
  const checked = slow.allProblems(files);
  slow.setFiles([]);
  expect((await checked).map(({ message }) => message)).toEqual(["Type 'number' is not assignable to type 'string'."]);
});

describe('without a disk, as in the panel', () => {
  const panel = new CodeService(async name => typePack(name));
  const messages = async (files: Record<string, string>, unread: string[] = []) => {
    const texts = Object.entries(files).map(([name, content]) => ({ name, content }));
    return (await panel.allProblems(texts, unread)).map(({ file, message }) => `${file} ${message}`);
  };

  it('the check accepts imports of files whose texts it does not have, in any way', async () => {
    const files = {
      'main.ts': `import './lib/start';
import { size } from './vendor/large.js';
import rows from './data/rows.json';
export default () => size(rows.length).anything;`,
      'old.js': "module.exports = () => [require('./manifest.json').title, require('./input').url.length];",
      'strict.ts': "import { gone } from './gone';\nexport default gone;",
    };
    const unread = ['lib/start.ts', 'vendor/large.js', 'data/rows.json', 'manifest.json', 'input.json'];
    expect(await messages(files, unread)).toEqual([expect.stringMatching(/^strict\.ts Cannot find module '\.\/gone'/)]);
    const problem = await panel.problems({
      name: 'open.ts',
      content: "import { size } from './vendor/large';\nsize();",
    });
    expect(problem).toEqual([]);
  });

  it('the check ignores a tsconfig.json of a library, and follows the rest', async () => {
    const files = {
      'tsconfig.json': '{ "extends": "@tsconfig/node24/tsconfig.json", "compilerOptions": { "noImplicitAny": true } }',
      'main.ts': 'export default (input) => input;',
    };
    expect(await messages(files)).toEqual(["main.ts Parameter 'input' implicitly has an 'any' type."]);
  });
});
