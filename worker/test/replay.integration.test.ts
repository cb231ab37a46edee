import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { LIMITS, type Offer } from '@trawl/contracts';
import { certificate } from '../../e2e/proxies/certificate.js';
import { RECORD_HEAD } from '../src/records/record-format.js';
import { connectedWorker } from './connected-worker.js';

/** The site counts its answers, so that the n-th answer differs from the one before. */
let answers = 0;
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray()).toString();
  answers += 1;
  const text = JSON.stringify({ path: request.url, body, cookie: request.headers.cookie ?? null, answers });
  if (request.method === 'HEAD') response.writeHead(200, { 'content-length': '12345' }).end();
  else if (request.url === '/redirect') response.writeHead(302, { location: '/target' }).end();
  else if (request.url === '/login')
    response.writeHead(200, { 'set-cookie': 'session=0123456789abcdef; Path=/' }).end('in');
  else if (request.url?.startsWith('/endless')) response.writeHead(200).write('beginning');
  else if (request.url === '/missing') response.writeHead(404, 'Not here').end('nothing');
  else response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(gzipSync(text));
}

const plain = createServer(answer);
const secure = createSecureServer(certificate(), answer);
const portOf = (server: Server) => (server.address() as AddressInfo).port;
let [site, secureSite] = ['', ''];
const environment: Record<string, string> = {};

beforeAll(async () => {
  for (const server of [plain, secure]) await once(server.listen(0, '127.0.0.1'), 'listening');
  [site, secureSite] = [`http://127.0.0.1:${portOf(plain)}`, `https://127.0.0.1:${portOf(secure)}`];
  environment.TRAWL_EGRESS_ALLOW = [plain, secure].map(server => `127.0.0.1:${portOf(server)}`).join();
});
afterAll(() => {
  for (const server of [plain, secure]) {
    server.closeAllConnections();
    server.close();
  }
});

const { platform } = connectedWorker(environment);

const LIBRARIES = `
  const http = require('node:http');
  const https = require('node:https');
  const axios = require('axios');
  const got = require('got');
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const byHttp = (module, url) => new Promise((resolve, reject) => {
    module.get(url, response => { let text = ''; response.on('data', data => { text += data; }).on('end', () => resolve(text.length > 0)); }).on('error', reject);
  });
  module.exports = async ({ site, secureSite }, secret) => {
    const results = [];
    for (const base of [site, secureSite]) {
      results.push((await fetch(base + '/fetch', { method: 'HEAD' })).headers.get('content-length'));
      results.push(await (await fetch(base + '/fetch')).json());
      results.push(await (await fetch(base + '/fetch')).json());
      results.push((await fetch(base + '/redirect')).url.replace(base, ''));
      results.push((await axios.post(base + '/axios', { name: 'Emma', password: secret.password })).data.answers);
      results.push(await got(base + '/got').json());
      results.push(await byHttp(base === site ? http : https, base + '/node'));
      const missing = await fetch(base + '/missing');
      results.push([missing.status, missing.statusText, await missing.text()]);
      const form = new FormData();
      form.append('field', 'value');
      results.push((await (await fetch(base + '/form', { method: 'POST', body: form })).json()).answers);
      const login = await fetch(base + '/login');
      const cookie = login.headers.get('set-cookie').split(';')[0];
      const page = await (await fetch(base + '/member?token=' + cookie.split('=')[1], { headers: { cookie } })).json();
      results.push(page.answers);
    }
    return results;
  };`;

const options = (more: Partial<Offer> = {}): Partial<Offer> => ({
  input: JSON.stringify({ site, secureSite }),
  input_secret: JSON.stringify({ password: 'correct-horse-battery' }),
  ...more,
});

async function record(skript: string): Promise<{ id: string; output: unknown }> {
  const id = await platform.start(skript, options({ record: true }));
  const { output, error_stack } = await platform.ended(id);
  expect(error_stack).toBeNull();
  // A caller who waits for the end finds the record.
  expect(platform.records.has(id)).toBe(true);
  return { id, output: JSON.parse(String(output)) };
}

async function replay(skript: string, of: string, more: Partial<Offer> = {}) {
  const id = await platform.start(skript, options({ replay: { of, on_miss: 'fail' }, ...more }));
  return { ...(await platform.ended(id)), echoes: (await platform.echoes(id)).map(({ msg }) => msg) };
}

it('a replay gives every library the recorded answers, without the network', async () => {
  const { id, output } = await record(LIBRARIES);
  const asked = answers;
  const { output: again, error_stack } = await replay(LIBRARIES, id);
  expect(error_stack).toBeNull();
  const texts = (value: unknown) => JSON.stringify(value).replaceAll('correct-horse-battery', '[secret]');
  expect(texts(JSON.parse(String(again)))).toBe(texts(output).replaceAll('0123456789abcdef', 'redacted-session'));
  expect(answers).toBe(asked);
});

it('a record has neither the secret of the run nor the values of cookies', async () => {
  const { id } = await record(LIBRARIES);
  const text = platform.records.get(id)?.toString('latin1') ?? '';
  expect(text).toContain('/axios');
  expect(text).toContain('session=redacted-session; Path=/');
  for (const secret of ['correct-horse', '0123456789abcdef']) expect(text).not.toContain(secret);
});

const FETCHES =
  'module.exports = async ({ site }) => { const r = []; for (const path of PATHS) r.push(await (await fetch(site + path)).text()); return r.length; };';
const fetches = (...paths: string[]) => FETCHES.replace('PATHS', JSON.stringify(paths));

it('a replay gives the answers that the skript did not read to their end', async () => {
  const skript = `const http = require('node:http');
    module.exports = async ({ site }) => {
      const unread = await fetch(site + '/endless');
      const cancelled = await fetch(site + '/endless');
      await cancelled.body.cancel();
      const destroyed = await new Promise((resolve, reject) => http.get(site + '/endless', response => {
        resolve(response.statusCode);
        response.destroy();
      }).on('error', reject));
      return [unread.status, cancelled.status, destroyed];
    };`;
  const { id, output } = await record(skript);
  expect(output).toEqual([200, 200, 200]);
  const { output: again, error_stack } = await replay(skript, id);
  expect([error_stack, again]).toEqual([null, JSON.stringify(output)]);
});

it('a record has requests through an HTTP proxy of the skript, and a tunnel or a wrong host does not end the run', async () => {
  const skript = `const http = require('node:http');
    const ask = options => new Promise(resolve => {
      const call = http.request(options, response => response.resume().on('end', () => resolve(response.statusCode)));
      call.on('error', error => resolve('refused')).on('connect', () => resolve('connected')).end();
    });
    module.exports = async ({ site }) => {
      const { hostname: host, port } = new URL(site);
      const tunnel = await ask({ host, port, method: 'CONNECT', path: 'site.test:443' });
      return [tunnel, await ask({ host, port, path: 'http://site.test/page' }), await ask({ host, port, path: '/', headers: { host: 'a host' } })];
    };`;
  const { id, output } = await record(skript);
  expect(output).toEqual(['refused', 200, 200]);
  const record_ = platform.records.get(id)?.toString('latin1') ?? '';
  expect(record_.match(/"url":"[^"]*"/g)).toEqual(['"url":"http://site.test/page"']);
});

it('after the last recorded answer to a request, a replay repeats it', async () => {
  const { id } = await record(fetches('/a', '/a'));
  const skript =
    'module.exports = async ({ site }) => { const r = []; for (let n = 0; n < 4; n += 1) r.push((await (await fetch(site + "/a")).json()).answers); return r; };';
  const { output } = await replay(skript, id);
  const [first, second, ...rest] = JSON.parse(String(output));
  expect(second).toBe(first + 1);
  expect(rest).toEqual([second, second]);
});

it('a request without a recorded answer ends the replay, even if the skript catches the error', async () => {
  const { id } = await record(fetches('/books/1', '/authors'));
  const skript = `module.exports = async ({ site }) => { await fetch(site + '/books/2').catch(() => {}); await new Promise(resolve => setTimeout(resolve, 60_000)); };`;
  const { error_code, error_stack } = await replay(skript, id);
  expect(error_code).toBe('replay_miss');
  expect(error_stack).toContain(`no answer to GET ${site}/books/2`);
  expect(error_stack).toContain(`nearest recorded request is GET ${site}/books/1`);
});

it('with on_miss network, a request without a recorded answer goes to the network', async () => {
  const { id } = await record(fetches('/a'));
  const { output, echoes } = await replay(fetches('/a', '/b', '/c'), id, { replay: { of: id, on_miss: 'network' } });
  expect(output).toBe('3');
  expect(echoes.filter(text => text.includes('goes to the network'))).toHaveLength(2);
});

it('a child process of a replay has no network', async () => {
  const { id } = await record(fetches('/a'));
  const skript = `const { execFileSync } = require('node:child_process');
    module.exports = ({ site }) => execFileSync(process.execPath, ['-e', 'fetch(process.argv[1]).then(r => console.log(r.status), e => console.log(String(e.cause?.code)))', site + '/a']).toString().trim();`;
  const { output } = await replay(skript, id);
  expect(JSON.parse(String(output))).toMatch(/^E(CONNREFUSED|NETUNREACH|HOSTUNREACH)$/);
});

describe('a hostile record is refused', () => {
  const head = {
    method: 'GET',
    url: 'http://127.0.0.1/',
    request: '',
    status: 200,
    status_text: 'OK',
    headers: [] as [string, string][],
    error: null,
  };
  const line = (fields: object) => Buffer.from(`${JSON.stringify({ ...head, packed: 0, body: 0, ...fields })}\n\n`);
  const refusal = async (...parts: Buffer[]) => {
    platform.records.set('hostile', Buffer.concat(parts));
    const { error_code, error_stack } = await replay(
      'module.exports = async () => (await fetch("http://127.0.0.1/")).text();',
      'hostile',
    );
    return `${error_code}: ${error_stack}`;
  };

  it.each([
    ['no record at all', Buffer.from('PK\x03\x04'), 'must begin with the line'],
    ['nothing', Buffer.alloc(0), 'must begin with the line'],
    ['a length of 10 GB', Buffer.concat([Buffer.from(RECORD_HEAD), line({ packed: 10e9 })]), '`packed`'],
    ['a body of 10 GB', Buffer.concat([Buffer.from(RECORD_HEAD), line({ body: 10e9 })]), '`body`'],
    ['a negative length', Buffer.concat([Buffer.from(RECORD_HEAD), line({ packed: -1 })]), '`packed`'],
    ['a length beyond its end', Buffer.concat([Buffer.from(RECORD_HEAD), line({ packed: 1_000 })]), 'ends before'],
    ['a status that is text', Buffer.concat([Buffer.from(RECORD_HEAD), line({ status: 'ok' })]), '`status`'],
    ['headers that are no list', Buffer.concat([Buffer.from(RECORD_HEAD), line({ headers: { a: 1 } })]), '`headers`'],
    [
      'an address that is no URL',
      Buffer.concat([Buffer.from(RECORD_HEAD), line({ url: 'file:///etc/passwd' })]),
      '`url`',
    ],
    [
      'a head without end',
      Buffer.concat([Buffer.from(RECORD_HEAD), Buffer.alloc(300 * 1024, 'x')]),
      'its head has no end',
    ],
    ['a head that is no JSON', Buffer.concat([Buffer.from(RECORD_HEAD), Buffer.from('{"a":\n')]), 'not JSON'],
    ['more bytes than a record may have', Buffer.alloc(LIMITS.recordBytes + 1), 'may have'],
  ])('that has %s', async (_what, bytes, reason) => {
    expect(await refusal(bytes)).toContain(reason);
    expect(await refusal(bytes)).toMatch(/^start_failed: Trawl cannot replay this record\./);
  });

  it('that is a zip bomb, when its body is read', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const entry = Buffer.from(`${JSON.stringify({ ...head, packed: bomb.length, body: 1_000_000 })}\n`);
    expect(await refusal(Buffer.from(RECORD_HEAD), entry, bomb, Buffer.from('\n'))).toMatch(
      /^replay_miss: .*The body of http:\/\/127\.0\.0\.1\/ in the record is damaged/,
    );
  });

  it('and one with a header that HTTP forbids ends the run with an error', async () => {
    const entry = line({ headers: [['bad\nname', 'value\r\nx: y']] });
    expect(await refusal(Buffer.from(RECORD_HEAD), entry)).toMatch(/^start_failed: .*`headers/);
  });
});

it('a run whose process sends too large a record keeps its result, and has no record', async () => {
  const skript = `const { writeSync } = require('node:fs');
    module.exports = () => { const data = Buffer.alloc(500_000); const head = Buffer.from(JSON.stringify({ bytes: data.length, run: 1, t: 'record' }) + '\\n');
      for (let n = 0; n < 160; n += 1) for (const part of [head, data]) for (let at = 0; at < part.length; ) at += writeSync(4, part, at);
      return 'over'; };`;
  const id = await platform.start(skript, { record: true });
  expect((await platform.ended(id)).output).toBe('"over"');
  const next = await record(fetches('/a'));
  expect(platform.records.has(next.id)).toBe(true);
  expect(platform.records.has(id)).toBe(false);
  expect(platform.recordProblems.get(id)).toBe('The run has sent more than 64 MB for its record.');
  expect(platform.recordProblems.get(next.id)).toBeNull();
});

it.each([
  ['that is never requested', 'module.exports = () => 1;', 'The record has no HTTP exchange'],
  [
    'that is not read to its end',
    `module.exports = async ({ site }, { password }) => { for (const n of [1, 2]) await (await fetch(site + '/endless?' + password)).body.cancel(); };`,
    'The record of this run has 2 answers not read to the end, such as GET http://127.0.0.1',
  ],
  [
    'whose record is no record',
    `module.exports = () => { const text = Buffer.from('{'); require('node:fs').writeSync(4, Buffer.concat([Buffer.from(JSON.stringify({ bytes: 1, run: 1, t: 'record' }) + '\\n'), text])); };`,
    'The run has sent a record that cannot be read. Exchange 1 of the record is wrong',
  ],
])('the platform learns why an answer %s is in no record', async (_what, skript, problem) => {
  const id = await platform.start(skript, options({ record: true }));
  await platform.ended(id);
  await platform.until(() => platform.recordProblems.has(id), 'the record');
  const told = platform.recordProblems.get(id);
  expect(told).toEqual(expect.stringContaining(problem));
  expect(String(told)).not.toContain('correct-horse');
});
