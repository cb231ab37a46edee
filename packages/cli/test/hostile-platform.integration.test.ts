import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trawl as hostedTrawl } from '../../../e2e/harness/hosted-trawl.js';
import { fetchAnswer } from '../src/session/fetch-answer.js';
import { zip } from '../src/skript-folder/zip.js';

const ID = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';

const HOSTILE_TEXT = 'id,name\n1,\u202egpj\x9b2J\x1b[2J';
const CONTROL = /(?!\n)\p{Cc}|\u202e/u;

/** A platform that sends whatever the test tells it to. */
let server: Server;
let archive: Buffer;
let refusal: string;
let home: string;

beforeAll(done => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://trawl.test');
    if (pathname === '/silent') return;
    if (pathname === '/slow') return void setTimeout(() => response.end('late'), 200);
    if (pathname === `/joint-api/skripts/${ID}/download`) return void response.end(archive);
    response.setHeader('content-type', 'application/json');
    if (pathname === `/joint-api/skripts/${ID}`) return void response.end(JSON.stringify({ id: ID, files: [] }));
    if (pathname === '/text') return void response.end(HOSTILE_TEXT);
    if (pathname === '/json') return void response.end(JSON.stringify([HOSTILE_TEXT]));
    response.statusCode = pathname === '/overloaded' ? 503 : 404;
    response.end(JSON.stringify({ error_code: 'not_found', error_message: refusal, request_id: refusal }));
  }).listen(0, '127.0.0.1', done);
});

afterAll(done => {
  server.close(done);
  server.closeAllConnections();
});

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trawl-cli-'));
  mkdirSync(join(home, 'work'));
});

afterEach(() => {
  const written = [readdirSync(home), readdirSync(join(home, 'work')), existsSync('/tmp/trawl-evil.js')];
  rmSync(home, { recursive: true, force: true });
  expect(written).toEqual([['work'], [], false]);
});

const trawl = (...args: string[]) => trawlWith('trk_1', ...args);

function trawlWith(TRAWL_KEY: string, ...args: string[]) {
  const env = { TRAWL_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, TRAWL_KEY };
  return hostedTrawl(args, { cwd: join(home, 'work'), env });
}

/** An archive with a file of this name, which need not be one that a zip may have. */
async function archiveWith(name: string, title: string): Promise<Buffer> {
  const placeholder = 'x'.repeat(Buffer.byteLength(name));
  const bytes = Buffer.from(
    await zip([
      ['manifest.json', JSON.stringify({ title })],
      [placeholder, 'evil'],
    ]),
  );
  for (let at = bytes.indexOf(placeholder); at >= 0; at = bytes.indexOf(placeholder)) bytes.write(name, at);
  return bytes;
}

it.each([
  '../evil.js',
  '../../evil.js',
  '/tmp/trawl-evil.js',
  '..\\evil.js',
  '.git/hooks/post-checkout',
  'a\x1b[2J.js',
])('`trawl download` writes nothing if the archive contains a file named %j', async name => {
  archive = await archiveWith(name, 'Evil');
  const { code, stderr } = await trawl('download', ID);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be read|not safe to write/)]);
});

it.each(['..', '../evil', '/tmp/trawl-evil', '.git', 'a\x1b[2J'])(
  '`trawl download` refuses a skript title that would choose another folder: %j',
  async title => {
    archive = await archiveWith('main.js', title);
    expect(await trawl('download', ID)).toMatchObject({ code: 2 });
  },
);

it('`trawl download` reports an archive that is not a zip, without a crash', async () => {
  archive = Buffer.from('not a zip');
  const { code, stderr } = await trawl('download', ID);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^The archive from the platform cannot be read: /)]);
});

it('the command line does not print an API key that is too malformed to send', async () => {
  for (const args of [['whoami'], ['api', 'GET', '/joint-api/account']]) {
    const { code, stderr } = await trawlWith('trk_a trk_b', ...args);
    expect([code, stderr]).toEqual([2, expect.not.stringContaining('trk_')]);
  }
});

it('the command line removes control characters from error messages of the platform', async () => {
  refusal = '\x1b]0;evil\x07\x1b[2Jno\u202e such\x9b31m thing';
  expect(await trawl('whoami')).toEqual({ code: 4, stdout: '', stderr: 'no such thing\n' });
});

it('`trawl api` escapes control characters in JSON answers, and with --json always prints JSON', async () => {
  const escaped = await trawl('api', 'GET', '/json');
  expect([JSON.parse(escaped.stdout), escaped.stdout]).toEqual([[HOSTILE_TEXT], expect.not.stringMatching(CONTROL)]);
  expect((await trawl('api', 'GET', '/text')).stdout).toBe(HOSTILE_TEXT);
  const asJson = await trawl('api', 'GET', '/text', '--json');
  expect([JSON.parse(asJson.stdout), asJson.stdout]).toEqual([HOSTILE_TEXT, expect.not.stringMatching(CONTROL)]);
});

it('a call that an overloaded platform answers with 503 ends with exit code 6', async () => {
  refusal = 'Later.';
  expect(await trawl('api', 'GET', '/overloaded')).toMatchObject({ code: 6 });
});

describe('a platform that does not answer', () => {
  const ask = (path: string) => new Request(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);

  it('makes a call fail after a timeout, which is longer by the `wait_ms` of the call', async () => {
    await expect(fetchAnswer(ask('/silent'), 50)).rejects.toThrow('it does not answer');
    await expect(fetchAnswer(ask('/slow'), 50)).rejects.toThrow('it does not answer');
    expect(await (await fetchAnswer(ask('/slow?wait_ms=60000'), 50)).text()).toBe('late');
  });
});
