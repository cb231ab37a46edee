import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { PackedPackage } from '../../../scripts/jest/packed-package.js';
import { sampleOf } from '../../../scripts/jest/sample.js';

const execute = promisify(execFile);
let project: PackedPackage;

beforeAll(async () => {
  project = await PackedPackage.install('packages/cli');
});

afterAll(() => project.remove());

/** Runs the installed program in the project. */
async function trawl(...args: string[]): Promise<string> {
  const program = join(project.folder, 'node_modules', '.bin', 'trawl');
  return (await execute(program, args, { cwd: project.folder, env })).stdout;
}

const env = { ...process.env };

const JAVASCRIPT_TEMPLATES = ['plain', 'cheerio', 'browser', 'crawlee', 'flow'];
const TEMPLATES = ['typescript', ...JAVASCRIPT_TEMPLATES];

test('the packed command line prints help and version, creates all templates, and runs a skript', async () => {
  expect(await trawl('--help')).toContain('upload|u');
  expect(await trawl('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  for (const template of TEMPLATES) await trawl('init', template, '--template', template);
  expect((await readdir(join(project.folder, 'plain'))).sort()).toEqual([
    '.gitignore',
    '.trawl',
    'greeting.js',
    'greeting.test.js',
    'input.json',
    'jsconfig.json',
    'main.js',
    'manifest.json',
  ]);
  expect(await trawl('start', '-s', 'plain', '-i', 'plain/input.json')).toBe('{\n  "length": 5\n}\n');
});

// e2e/command-line runs the template with a browser.
test('the templates typescript, cheerio and flow read a web page when they run in the sandbox', async () => {
  const server = createServer((_request, response) => response.end('<title>Harbour</title><a href="/boats">Boats</a>'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  env.TRAWL_EGRESS_ALLOW = address;
  await project.write('page.json', JSON.stringify({ url: `http://${address}/`, pages: 2 }));
  try {
    await project.write('shelf.json', JSON.stringify({ base_url: `http://${address}`, shelf: 'none' }));
    expect(JSON.parse(await trawl('start', '-s', 'typescript', '-i', 'shelf.json'))).toEqual({ books: 0 });
    const [links, totals] = [
      await trawl('start', '-s', 'cheerio', '-i', 'page.json'),
      await trawl('start', '-s', 'flow', '-i', 'page.json'),
    ];
    expect(JSON.parse(links)).toEqual({ title: 'Harbour', links: [`http://${address}/boats`] });
    expect(JSON.parse(totals)).toEqual({ pages: 2, chars: 96 });
  } finally {
    server.close();
  }
});

test('the template typescript passes its test and its check, and the compiler finds no errors in it', async () => {
  const cwd = join(project.folder, 'typescript');
  expect(await trawl('test', '-s', 'typescript')).toContain('pass 1');
  expect(await trawl('check', '-s', 'typescript')).toBe('No type errors\n');
  const libraries = ['got', 'puppeteer', 'csv-parse/sync', 'csv-stringify', '@trawl/functionflow', '@trawl/httpclient'];
  const imports = libraries.map((name, index) => `import * as library${index} from '${name}';\nvoid library${index};`);
  await project.write('typescript/imports.ts', imports.join('\n'));
  for (const version of [resolve('node_modules/typescript'), resolve('packages/type-check/node_modules/typescript')])
    await execute(process.execPath, [join(version, 'bin/tsc'), '-p', '.'], { cwd });
});

test('the test of each template in JavaScript passes with Node.js alone, and its libraries have types in the editor', async () => {
  const compiler = resolve('node_modules/typescript/bin/tsc');
  for (const template of sampleOf(JAVASCRIPT_TEMPLATES, { oneIn: JAVASCRIPT_TEMPLATES.length })) {
    const cwd = join(project.folder, `typed ${template}`);
    await trawl('init', `typed ${template}`, '--template', template);
    expect((await execute(process.execPath, ['--test'], { cwd })).stdout).toMatch(/pass 1\n.*fail 0\n/s);
    // Each library's types refuse one wrong use, and the known use beside it has no error.
    await project.write(
      `typed ${template}/wrong.js`,
      `// @ts-check
      const { echo } = require('@trawl/echo');
      const { FunctionFlow } = require('@trawl/functionflow');
      const { mongo, ObjectId } = require('@trawl/storage');
      const { HttpClient } = require('@trawl/httpclient');
      echo.log('known'); echo.nope();
      new FunctionFlow().xInject({}); new FunctionFlow().nope();
      new ObjectId().toHexString(); new ObjectId().nope();
      mongo.db('shop'); mongo.nope();
      new HttpClient().nope();
      trawl.execution_id.trim(); trawl.nope;`,
    );
    const errors = await execute(process.execPath, [compiler, '-p', 'jsconfig.json'], { cwd }).then(
      ({ stdout }) => stdout,
      error => error.stdout,
    );
    const places = errors.match(/^\S+?\(\d+,\d+\): error TS\d+: Property 'nope'/gm) ?? [];
    expect([places.length, errors.match(/: error /g)]).toEqual([6, Array(6).fill(': error ')]);
  }
});
