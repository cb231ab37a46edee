import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { trawl as hostedTrawl } from '../../../e2e/harness/hosted-trawl.js';
import { packExchange } from '../../../worker/src/records/pack-exchange.js';
import { RECORD_HEAD } from '../../../worker/src/records/record-format.js';

const ID = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';
const PAGE = '<ul><li>Sea<li>Sails</ul>';
const MAIN = `const cheerio = require('cheerio');
const { dataset } = require('@trawl/storage');
module.exports = async ({ url }) => {
  const $ = cheerio.load(await (await fetch(url)).text());
  await dataset.push($('li').get().map(li => ({ title: $(li).text() })));
  return $('li').length;
};`;
const ROWS = [{ title: 'Sea' }, { title: 'Sails' }];
const INPUT = { url: 'http://shop.test/books' };

let folder: string;
let server: Server;
let record: Buffer;
/** The rows of `mongo` and `postgres` that the platform keeps; null for a platform that keeps none. */
let inserted: string | null = null;

beforeAll(async () => {
  const exchange = {
    method: 'GET',
    url: INPUT.url,
    request: '',
    status: 200,
    status_text: 'OK',
    headers: [],
    error: null,
  };
  const entry = await packExchange(exchange as never, Buffer.from(PAGE));
  record = Buffer.concat([Buffer.from(RECORD_HEAD), entry as Buffer]);
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://trawl.test');
    const run = `/joint-api/skript-execution/${ID}`;
    if (pathname === `${run}/record`) return void response.end(record);
    if (pathname === `${run}/record/rows` && inserted !== null) return void response.end(inserted);
    response.setHeader('content-type', 'application/json');
    const answers: Record<string, unknown> = {
      [run]: {
        id: ID,
        action: 'end',
        record: { bytes: record.length, exchanges: 1, problem: null },
        input: null,
        input_value: INPUT,
        output: 2,
        started_at: '2026-11-27T10:00:00.000Z',
        ended_at: '2026-11-27T10:00:02.000Z',
      },
      [`${run}/rows`]: { items: ROWS, count: 2 },
    };
    response.statusCode = answers[pathname] ? 200 : 404;
    response.end(
      JSON.stringify(answers[pathname] ?? { error_code: 'not_found', error_message: 'no', request_id: 'x' }),
    );
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  inserted = null;
  folder = mkdtempSync(join(tmpdir(), 'trawl-replay-'));
  write({ 'manifest.json': '{ "title": "Books" }', 'main.js': MAIN });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

function trawl(...args: string[]) {
  const env = { TRAWL_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, TRAWL_KEY: 'trk_1' };
  return hostedTrawl(args, { cwd: folder, env });
}

const saved = (rows: object[] = ROWS) => ({
  'records/monday.record': record,
  'records/monday.record.json': JSON.stringify({ input: JSON.stringify(INPUT), output: 2, rows }),
});

it('trawl replay runs the folder against the record of a run on the platform, and exits with 1 on a difference', async () => {
  expect(await trawl('replay', ID)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 rows equal, 0 changed'),
  });
  write({ 'main.js': MAIN.replace('$(li).text()', '$(li).text().toUpperCase()') });
  const { code, stdout } = await trawl('replay', ID);
  expect([code, stdout]).toEqual([1, expect.stringContaining('0 rows equal')]);
  expect(stdout).toContain('SEA');
});

const MONGO_MAIN = `const cheerio = require('cheerio');
const { mongo, postgres } = require('@trawl/storage');
module.exports = async ({ url }) => {
  const $ = cheerio.load(await (await fetch(url)).text());
  const titles = $('li').get().map(li => $(li).text());
  await mongo.collection('books').insertMany(titles.map(title => ({ _id: title, pages: title.length })));
  const stored = await postgres.insertMany('shop.books', titles.map(title => ({ title })));
  const read = { isRead: true, at: new Date() };
  await mongo.collection('readers').updateOne({ _id: titles[0] }, { $set: read }, { upsert: true });
  return titles.length + stored;
};`;
const line = (target: string, row: object | null) => `${JSON.stringify({ target, row })}\n`;
const INSERTED = [
  line('mongodb:books', { pages: 3, _key: '"Sea"' }),
  line('mongodb:books', { pages: 5, _key: '"Sails"' }),
  line('postgresql:shop.books', { title: 'Sea' }),
  line('postgresql:shop.books', { title: 'Sails' }),
  line('mongodb:readers', { isRead: true, at: '2026-11-27T10:00:01.000Z', _key: '"Sea"' }),
].join('');

it('trawl replay compares rows of mongo and postgres, by collection and table', async () => {
  inserted = INSERTED;
  write({ 'main.js': MONGO_MAIN });
  const equal = await trawl('replay', ID);
  // The run on the platform also has rows of dataset.push, which this code does not push.
  expect(equal.stdout).toContain('mongodb:books: 2 rows equal, 0 changed, 0 added, 0 gone');
  expect(equal.stdout).toContain('postgresql:shop.books: 2 rows equal, 0 changed, 0 added, 0 gone');
  expect(equal.stdout).toContain('mongodb:readers: 1 rows equal, 0 changed, 0 added, 0 gone');
  expect(await trawl('records', 'pull', ID, '--name', 'monday')).toMatchObject({ code: 0 });
  write({ 'main.js': MONGO_MAIN.replace('title.length', '1') });
  const { code, stdout } = await trawl('replay', 'monday', '--json');
  expect([code, JSON.parse(stdout).inserted]).toMatchObject([
    1,
    { 'mongodb:books': { changed: 2, matched_by: 'key' }, 'postgresql:shop.books': { equal: 2 } },
  ]);
});

it('trawl replay leaves out rows that the platform has not kept, and refuses a wrong answer', async () => {
  write({ 'main.js': MONGO_MAIN });
  inserted = `${INSERTED}${line('mongodb:books', null)}`;
  expect((await trawl('replay', ID)).stdout).toContain('mongodb:books: not compared');
  inserted = null;
  expect((await trawl('replay', ID)).stdout).not.toContain('mongodb:books');
  inserted = '';
  expect((await trawl('replay', ID)).stdout).toContain('mongodb:books: 0 rows equal, 0 changed, 2 added');
  for (const wrong of ['{', '{"target":1,"row":null}', '[]']) {
    inserted = wrong;
    const { code, stderr } = await trawl('replay', ID);
    expect([wrong, code, stderr]).toEqual([
      wrong,
      expect.any(Number),
      expect.stringContaining(`the rows of the run ${ID}`),
    ]);
    expect(code).not.toBe(0);
  }
});

it('trawl test replays a run of this computer by its rows of mongo, and refuses wrong ones', async () => {
  const site = createServer((_request, response) => response.end(PAGE));
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  const main = MONGO_MAIN.replace(/.*postgres.insertMany.*/, 'const stored = 0;');
  write({ 'main.js': main, 'input.json': JSON.stringify({ url: `http://127.0.0.1:${port}/books` }) });
  const env = { TRAWL_EGRESS_ALLOW: `127.0.0.1:${port}` };
  expect(await hostedTrawl(['start', '--record'], { cwd: folder, env })).toMatchObject({ code: 0 });
  site.closeAllConnections();
  site.close();
  const equal = 'records/latest.record: mongodb:books: 2 rows equal, 0 changed, 0 added, 0 gone';
  const test = await trawl('test');
  expect(test).toMatchObject({ code: 0, stderr: expect.stringContaining(equal) });
  expect(test.stderr).toContain('mongodb:readers: 1 rows equal, 0 changed');
  write({ 'main.js': main.replace('_id: title', "_id: title + '!'") });
  expect(await trawl('test')).toMatchObject({ code: 1, stderr: expect.stringContaining('2 added, 2 gone') });
  write({ 'records/latest.record.json': JSON.stringify({ rows: [], inserted: { 'mongodb:books': [1] } }) });
  expect(await trawl('test')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('`inserted` must have a list'),
  });
  write({ 'records/latest.record.json': JSON.stringify({ rows: [], started_at: 'soon' }) });
  expect((await trawl('test')).stderr).toContain('`started_at` and `ended_at` must be times');
});

it('trawl replay fails with the missing address if the code sends another request', async () => {
  write({ ...saved(), 'main.js': MAIN.replace('fetch(url)', "fetch(url + '?page=2')") });
  const { code, stderr } = await trawl('replay', 'monday');
  expect(code).toBe(1);
  expect(stderr).toContain('no answer to GET http://shop.test/books?page=2');
  expect(stderr).toContain('nearest recorded request is GET http://shop.test/books.');
  expect(stderr).toContain('replay_miss');
});

it('trawl replay --on-miss network sends a request without a recorded answer to the site', async () => {
  const site = createServer((_request, response) => response.end(PAGE.replace('Sails', 'Salt')));
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  const main = MAIN.replace('fetch(url)', `fetch('http://127.0.0.1:${port}/new')`);
  write({ ...saved([{ title: 'Sea' }, { title: 'Salt' }]), 'main.js': main });
  const replay = (...args: string[]) =>
    hostedTrawl(['replay', 'monday', ...args], { cwd: folder, env: { TRAWL_EGRESS_ALLOW: `127.0.0.1:${port}` } });
  expect(await replay('--on-miss', 'network')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 rows equal'),
    stderr: expect.stringContaining('/new'),
  });
  for (const args of [[], ['--on-miss', 'fail']])
    expect(await replay(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining('replay_miss') });
  expect(await replay('--on-miss', 'skip')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--on-miss must be fail or network; you gave skip.'),
  });
  site.closeAllConnections();
  site.close();
});

it('trawl records pull saves a record, which trawl test then replays', async () => {
  expect(await trawl('records', 'pull', ID, '--name', 'monday')).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, 'records/monday.record')).equals(record)).toBe(true);
  const run = JSON.parse(readFileSync(join(folder, 'records/monday.record.json'), 'utf8'));
  expect(run).toMatchObject({ input: JSON.stringify(INPUT), output: 2, rows: ROWS });
  const { code, stderr } = await trawl('test');
  expect([code, stderr]).toEqual([0, expect.stringContaining('✔ records/monday.record: 2 rows equal')]);
  expect((await trawl('records', 'pull', ID, '--name', '../main.js')).code).toBe(2);
});

it('trawl test exits with 1 if a replay has other rows than the recorded run', async () => {
  write(saved([{ title: 'Sea' }, { title: 'Sails' }, { title: 'Salt' }]));
  const { code, stdout, stderr } = await trawl('test', '--json');
  expect([code, stderr]).toEqual([1, expect.stringContaining('1 gone')]);
  expect(JSON.parse(stdout)).toMatchObject({
    passed: 0,
    failed: 1,
    tests: [{ name: 'replay monday', file: 'records/monday.record', state: 'failed' }],
  });
});

it('a record that is none is refused with a reason', async () => {
  write({ ...saved(), 'records/monday.record': 'PK' });
  const { code, stderr } = await trawl('replay', 'monday');
  expect([code, stderr]).toEqual([1, expect.stringContaining('must begin with the line')]);
  expect(await trawl('replay', 'tuesday')).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('trawl records pull'),
  });
});

it('trawl start --record saves a run of this computer, which trawl replay and trawl test then replay without the site', async () => {
  const site = createServer((_request, response) => response.end(PAGE));
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  write({ 'input.json': JSON.stringify({ url: `http://127.0.0.1:${port}/books` }) });
  const env = { TRAWL_EGRESS_ALLOW: `127.0.0.1:${port}` };
  expect(await hostedTrawl(['start'], { cwd: folder, env })).toMatchObject({ code: 0 });
  const { code, stdout, stderr } = await hostedTrawl(['start', '--record'], { cwd: folder, env });
  expect([code, stdout, stderr]).toEqual([0, '2\n', expect.stringContaining('Saved records/latest.record.')]);
  expect(await hostedTrawl(['start', '--record', 'monday'], { cwd: folder, env })).toMatchObject({ code: 0 });
  site.closeAllConnections();
  site.close();
  // Only the rows of the recorded run, although all runs of the folder have their rows in the same files.
  expect(await trawl('replay', 'latest')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 rows equal, 0 changed, 0 added, 0 gone'),
  });
  expect(await trawl('test')).toMatchObject({ code: 0, stderr: expect.stringContaining('✔ records/monday.record') });
  expect(await trawl('start', '--record', '../main.js')).toMatchObject({ code: 2 });
  // A record that is replaced takes its run with it, also if the next run does not start.
  write({ 'main.js': 'no JavaScript (' });
  expect((await hostedTrawl(['start', '--record'], { cwd: folder, env })).code).not.toBe(0);
  expect(readdirSync(join(folder, 'records')).sort()).toEqual(['monday.record', 'monday.record.json']);
});
