import { once } from 'node:events';
import { createServer, get, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../common/config.js';
import { guardedAgents } from './guarded-agents.js';
import { describeFailure, OutgoingHttp, type OutgoingRequest } from './outgoing-http.service.js';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

async function serve(listener: RequestListener, host = '127.0.0.1', port = 0): Promise<string> {
  const server = createServer(listener).listen(port, host);
  servers.push(server);
  await once(server, 'listening');
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

const sender = (outgoingAllow: string) =>
  new OutgoingHttp(
    loadConfig({
      POSTGRES_URL: 'postgres://localhost/trawl',
      MONGODB_URI: 'mongodb://localhost',
      TRAWL_SECRET: 'a secret for tests that is long enough',
      TRAWL_OUTGOING_ALLOW: outgoingAllow,
    }),
  );
const local = sender('127.0.0.1');
const send = (url: string, more: Partial<OutgoingRequest> = {}, from = local) =>
  from.post({ url, headers: {}, body: 'hello', timeoutMs: 5_000, maxBytes: 100, ...more });
const failure = (url: string, more?: Partial<OutgoingRequest>, from?: OutgoingHttp) =>
  send(url, more, from).then(() => 'sent', describeFailure);

it.each([
  'https://127.0.0.1',
  'https://127.1',
  'https://2130706433',
  'https://0x7f000001',
  'https://10.0.0.1',
  'https://192.168.1.1',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]',
  'https://[::ffff:127.0.0.1]',
  'https://[::ffff:a9fe:a9fe]',
  'https://[64:ff9b::7f00:1]',
  'https://[fe80::1]',
  'https://[fd00::1]',
  'https://localhost',
  'https://shop.localhost.',
])('an outgoing call refuses a private address when its URL is saved and when it connects: %s', async url => {
  expect(sender('').urlProblem(url)).toMatch(
    /^must lead to an address that Trawl may call\. Trawl does not connect to .*: its address is private, loopback or otherwise special$/,
  );
  expect(await failure(url, {}, sender(''))).toMatch(
    /^Trawl does not connect to .*: its address is private, loopback or otherwise special\.$/,
  );
});

it('an outgoing call uses plain HTTP only in networks that the operator allowed', async () => {
  expect(await failure('http://8.8.8.8', {}, sender('127.0.0.1'))).toBe(
    'Trawl does not connect to 8.8.8.8: it is not encrypted. Use https.',
  );
  expect(sender('127.0.0.1').urlProblem('http://8.8.8.8')).toMatch('it is not encrypted');
  const url = await serve((request, response) => request.pipe(response));
  expect([local.urlProblem(url), local.urlProblem('https://inner.example')]).toEqual([null, null]);
  expect(await failure(url, {}, sender('10.0.0.0/8,::1'))).toMatch('it is not encrypted');
  expect(await send(url)).toMatchObject({ status: 200, body: Buffer.from('hello') });
});

it('an outgoing call connects to the address that Trawl checked, even if the name resolves to another later', async () => {
  const inner = await serve((_request, response) => response.end('inner'), '127.0.0.1');
  const { port } = new URL(inner);
  await serve((_request, response) => response.end('outer'), '127.0.0.2', Number(port));
  const answers = [['127.0.0.2'], ['127.0.0.1'], ['127.0.0.2', '127.0.0.1']];
  const resolve = async () => (answers.shift() ?? []).map(address => ({ address, family: 4 }));
  const agent = guardedAgents(['127.0.0.2'], {}, resolve).http;
  const ask = () =>
    new Promise((resolve, reject) =>
      get(`http://changing.example:${port}`, { agent }, async response =>
        resolve(String((await response.toArray())[0])),
      ).on('error', reject),
    );
  expect(await ask()).toBe('outer');
  await expect(ask()).rejects.toThrow('Trawl does not connect to changing.example');
  await expect(ask()).rejects.toThrow('Trawl does not connect to changing.example');
  expect(answers).toEqual([]);
});

it('an outgoing call follows no redirect', async () => {
  let calls = 0;
  const url = await serve((_request, response) => {
    calls += 1;
    response.writeHead(307, { location: url }).end('elsewhere');
  });
  expect(await send(url)).toMatchObject({ status: 307, body: Buffer.from('elsewhere') });
  expect(calls).toBe(1);
});

it('an outgoing call fails when the receiver does not answer in time', async () => {
  const url = await serve(() => undefined);
  expect(await failure(url, { timeoutMs: 300 })).toBe('no response within 300 ms');
});

it('an outgoing call that cannot connect fails with the reason', async () => {
  const url = await serve(() => undefined);
  servers.pop()?.close();
  expect(await failure(url)).toMatch('ECONNREFUSED');
  expect(await failure('https://receiver.invalid')).toBe('The name receiver.invalid was not found. Check the URL.');
});

it('an outgoing call reads only the first bytes of an endless answer, and what arrived of one that stalls', async () => {
  const endless = await serve((_request, response) => {
    const more = () => response.write('x'.repeat(10_000), more);
    more();
    response.on('error', () => undefined);
  });
  expect(await send(endless)).toMatchObject({ status: 200, body: Buffer.from('x'.repeat(100)) });
  const stalling = await serve((_request, response) => void response.writeHead(200).write('some'));
  expect(await send(stalling, { timeoutMs: 300 })).toMatchObject({ status: 200, body: Buffer.from('some') });
});
