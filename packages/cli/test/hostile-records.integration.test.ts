import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { LIMITS } from '@trawl/contracts';
import { trawl as hostedTrawl } from '../../../e2e/harness/hosted-trawl.js';
import { RECORD_HEAD } from '../../../worker/src/records/record-format.js';

const URL_OF_SHOP = 'http://shop.test/books';
const HEAD = { method: 'GET', url: URL_OF_SHOP, request: '', status: 200, status_text: 'OK', headers: [], error: null };

let folder: string;
const record = () => join(folder, 'records', 'monday.record');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-hostile-'));
  mkdirSync(join(folder, 'records'));
  writeFileSync(join(folder, 'manifest.json'), '{ "title": "Books" }');
  writeFileSync(join(folder, 'main.js'), `module.exports = async () => (await fetch('${URL_OF_SHOP}')).text();`);
  writeFileSync(record(), exchange({}, ''));
  writeFileSync(`${record()}.json`, run({}));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (fields: object) => JSON.stringify({ input: null, output: '', rows: [], ...fields });
const exchange = (fields: object, body: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`${RECORD_HEAD}${JSON.stringify({ ...HEAD, packed: body.length, body: body.length, ...fields })}\n`),
    Buffer.from(body as string),
    Buffer.from('\n'),
  ]);
const trawl = (...args: string[]) => hostedTrawl(args, { cwd: folder });

it('the record and the run of these tests are good', async () => {
  expect(await trawl('replay', 'monday')).toMatchObject({ code: 0 });
});

const replaceRecord = (bytes: Buffer | string) => () => writeFileSync(record(), bytes);
const replaceRun = (text: string) => () => writeFileSync(`${record()}.json`, text);
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const ofFile = 'Trawl refuses records/monday.record.';
const ofRun = 'Trawl refuses records/monday.record.json:';

it.each([
  [
    'a record with a body that claims 10 GB',
    replaceRecord(exchange({ packed: 10e9, body: 10e9 }, '')),
    ofFile,
    '`packed`',
  ],
  ['a record whose body would unpack to 10 GB', replaceRecord(exchange({ body: 10e9 }, 'x')), ofFile, '`body`'],
  ['a record with a text for a status', replaceRecord(exchange({ status: '200' }, '')), ofFile, '`status`'],
  [
    'a record with a field __proto__',
    replaceRecord(exchange({ __proto__x: 1 }, '').toString().replace('__proto__x', '__proto__')),
    ofFile,
    '__proto__',
  ],
  ['a record that is cut', replaceRecord(exchange({ packed: 9_000 }, 'short')), ofFile, 'ends before'],
  ['a file of another format', replaceRecord(gzipSync('{}')), ofFile, 'must begin with the line'],
  ['an empty file', replaceRecord(''), ofFile, 'must begin with the line'],
  [
    'a record of 60,000 exchanges',
    replaceRecord(RECORD_HEAD + `${JSON.stringify({ ...HEAD, packed: 0, body: 0 })}\n\n`.repeat(60_000)),
    ofFile,
    '50000 exchanges',
  ],
  ['a record of 10 GB', () => truncateSync(record(), 10e9), ofFile, `${LIMITS.recordBytes} bytes`],
  [
    'a folder for a record',
    () => {
      rmSync(record());
      mkdirSync(record());
    },
    ofFile,
    'must be a file',
  ],
  [
    'a named pipe for a record',
    () => {
      rmSync(record());
      execFileSync('mkfifo', [record()]);
    },
    ofFile,
    'must be a file',
  ],
  [
    'a link out of the skript',
    () => {
      rmSync(record());
      symlinkSync('/dev/zero', record());
    },
    'records/monday.record is a link',
    'out of the skript',
  ],
  ['a run that is not JSON', replaceRun('{'), ofRun, 'not valid JSON'],
  ['a run with rows that are no list', replaceRun(run({ rows: { length: 1e9 } })), ofRun, '`rows`'],
  ['a run with rows that are no objects', replaceRun(run({ rows: [null] })), ofRun, '`rows`'],
  ['a run with an input that is no JSON', replaceRun(run({ input: '{' })), ofRun, '`input`'],
  ['a run with a deep row', replaceRun(`{"rows":[{"a":${nested(100_000)}}]}`), ofRun, 'inside each other'],
  ['a run of 10 GB', () => truncateSync(`${record()}.json`, 10e9), ofRun, '33554432 bytes'],
  [
    'a named pipe for a run',
    () => {
      rmSync(`${record()}.json`);
      execFileSync('mkfifo', [`${record()}.json`]);
    },
    ofRun,
    'must be a file',
  ],
] as [string, () => void, string, string][])(
  'trawl replay refuses %s in one line',
  async (_what, damage, beginning, reason) => {
    damage();
    const { code, stderr } = await trawl('replay', 'monday');
    expect({ code, lines: stderr.trim().split('\n') }).toEqual({
      code: 1,
      lines: [expect.stringContaining(beginning)],
    });
    expect(stderr).toContain(reason);
  },
);

it.each([
  ['a zip bomb', exchange({ body: 1_000 }, gzipSync(Buffer.alloc(10 * 1024 * 1024)))],
  ['a body that is not gzip', exchange({ body: 1_000 }, 'not gzip')],
])('a replay ends with the name of the record if it has %s', async (_what, bytes) => {
  writeFileSync(record(), bytes);
  const { code, stderr } = await trawl('replay', 'monday');
  expect(code).toBe(1);
  expect(stderr).toContain(
    `The body of ${URL_OF_SHOP} in the record is damaged: its head says that it has 1000 bytes.`,
  );
  expect(stderr).toContain('The replay of records/monday.record failed');
});

it('fields named __proto__ and constructor of rows are compared as others', async () => {
  writeFileSync(`${record()}.json`, `{"rows":[{"__proto__":{"admin":true},"constructor":1}]}`);
  const { code, stdout } = await trawl('replay', 'monday');
  expect([code, stdout]).toEqual([1, expect.stringContaining('gone {"__proto__":{"admin":true},"constructor":1}')]);
});

it('a name of a record is no path', async () => {
  for (const name of ['../../secret', '/etc/passwd', 'a/b', '..', '.', `${'a'.repeat(200)}`]) {
    const { code, stderr } = await trawl('replay', name);
    expect([code, stderr]).toEqual([2, expect.stringContaining('The name of a record must have')]);
  }
});

it('trawl test fails for a refused record, and runs the others', async () => {
  writeFileSync(join(folder, 'records', 'good.record'), exchange({}, ''));
  writeFileSync(join(folder, 'records', 'good.record.json'), run({}));
  writeFileSync(record(), 'PK');
  writeFileSync(join(folder, 'records', 'bad\u001b[31m name.record'), '');
  const { code, stderr } = await trawl('test');
  expect(code).toBe(1);
  expect(stderr).toContain('✔ records/good.record');
  expect(stderr).toContain('✖ records/monday.record: Trawl refuses records/monday.record. This is no record');
  expect(stderr).toContain('The name of a record must have at most 100 letters');
  expect(stderr).not.toContain('\u001b[31m');
});

it('a replay does not read an input secret through a link out of the skript', async () => {
  const outside = join(tmpdir(), `${folder.split('/').at(-1)}.json`);
  writeFileSync(outside, '{"token":"of another program"}');
  symlinkSync(outside, join(folder, 'inputSecret.json'));
  const { code, stderr } = await trawl('replay', 'monday');
  rmSync(outside);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('inputSecret.json is a link that leads out of the skript'),
  ]);
});

it('a platform that sends a record without end is cut off', async () => {
  const id = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';
  const server = createServer((request, response) => {
    if (!request.url?.endsWith('/record')) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ id, action: 'end', record: { bytes: 1, exchanges: 1, problem: null }, items: [] }));
      return;
    }
    const send = () => {
      while (response.write(Buffer.alloc(1024 * 1024)));
      response.once('drain', send);
    };
    send();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const env = { TRAWL_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, TRAWL_KEY: 'trk_1' };
  const { code, stderr } = await hostedTrawl(['replay', id], { cwd: folder, env });
  server.closeAllConnections();
  server.close();
  expect([code, stderr]).toEqual([1, expect.stringContaining(`the record of the run ${id}: it may have`)]);
});
