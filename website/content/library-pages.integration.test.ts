import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';

const DOCS = join(__dirname, '../docs');
/** Packages of the checkout are found from this folder. */
const FOLDER = join(__dirname, '../../node_modules/.cache');

let folder: string;
let site: Server;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(FOLDER, 'library-pages-'));
  site = createServer((request, response) => response.end(`<title>${request.url}</title>`)).listen(0, '127.0.0.1');
  await once(site, 'listening');
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});

afterAll(() => {
  site.close();
  rmSync(folder, { recursive: true });
});

/**
 * Runs a main.js that a page prints, as a run does. Resolves to its output and its echoes.
 *
 * @param which number of the main.js on the page, from 0
 */
async function runExample(
  page: string,
  input: unknown,
  which = 0,
  env: Record<string, string> = {},
): Promise<{ output: unknown; echoes: unknown[] }> {
  const text = readFileSync(join(DOCS, `${page}.mdx`), 'utf8');
  const [, code] = [...text.matchAll(/```js title="main\.js"\n(.*?)```/gs)][which] ?? [];
  if (code === undefined) throw new Error(`${page} has no main.js.`);
  writeFileSync(join(folder, 'main.js'), code);
  const olderNames = `const names = {
      '@mikosoft/echo': () => require('@trawl/echo/older-echo').OlderEcho,
      '@mikosoft/functionflow': () => require('@trawl/functionflow').FunctionFlow,
    };
    const { Module } = require('node:module');
    const load = Module._load;
    Module._load = (name, ...more) => names[name]?.() ?? load(name, ...more);`;
  const run = `${olderNames}
    const echoes = [];
    globalThis.trawl = globalThis.dex8 = { eventEmitter: new (require('node:events'))() };
    trawl.eventEmitter.on('echo', ({ type, msg }) => echoes.push([type, msg.split('\\n')[0]]));
    require('./main.js')(${JSON.stringify(input)}).then(output => console.log(JSON.stringify({ output, echoes })));`;
  writeFileSync(join(folder, 'run.cjs'), run);
  const { stdout } = await promisify(execFile)(process.execPath, ['run.cjs'], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  return JSON.parse(stdout);
}

// Each page says what its example does; here is what that means.
test('the example in the documentation of echo sends the echoes that the page shows', async () => {
  expect((await runExample('libs/echo', {})).echoes).toEqual([
    ['log', 'Page 1 of 50'],
    ['warn', 'No price on /books/17'],
    ['error', 'Error: Refused with 429'],
    ['objekt', '{"title":"Sharp Objects","price":47.82}'],
  ]);
});

test('the example in the documentation of functionflow reads ten pages', async () => {
  const { output } = await runExample('libs/functionflow', { url });
  expect(output).toEqual({ page: 11, bytes: 9 * '<title>/?page=1</title>'.length + '<title>/?page=10</title>'.length });
});

test('the example of keys in the documentation of storage stores one row, with the later price', async () => {
  await runExample('libs/storage', {}, 1);
  const lines = readFileSync(join(folder, '.trawl/storage/dataset_local.jsonl'), 'utf8').trim().split('\n');
  const rows = lines.map(line => JSON.parse(line)).filter(({ sku }) => sku === 'B01');
  // A later line with the same id replaces the earlier one.
  expect([...new Map(rows.map(row => [row._id.$oid, row.price])).values()]).toEqual([9]);
});

test('the MongoDB example in the documentation of storage stores each book once, and finds the cheap one', async () => {
  for (let runs = 0; runs < 2; runs++)
    expect((await runExample('libs/storage', {}, 3)).output).toEqual([{ title: 'Knots' }]);
  const lines = readFileSync(join(folder, '.trawl/storage/books.jsonl'), 'utf8').trim().split('\n');
  expect(lines).toHaveLength(3);
});

test('the PostgreSQL example in the documentation replaces the books in each run, and finds the cheap one', async () => {
  const server = String(process.env.TRAWL_TEST_POSTGRES_URL);
  const name = `library_pages_${randomBytes(4).toString('hex')}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  const env = { TRAWL_POSTGRES_URL: Object.assign(new URL(server), { pathname: `/${name}` }).toString() };
  for (let runs = 0; runs < 2; runs++)
    expect((await runExample('libs/storage', {}, 4, env)).output).toEqual([{ title: 'Knots' }]);
  await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await client.end();
});

test('the example in the documentation of httpclient reads the titles of two pages', async () => {
  expect((await runExample('libs/httpclient', { base_url: url })).output).toEqual(['/books?page=1', '/books?page=2']);
});

test('the older skript in the documentation gives the output and the echo that the page shows', async () => {
  expect(await runExample('tutorials/coming-from-older-skripts', 5)).toEqual({
    output: 9,
    echoes: [['log', 'Result 9']],
  });
});
