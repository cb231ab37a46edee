import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os, { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { EgressProxy } from '../src/egress/egress-proxy.js';
import { askName, openTunnel } from '../src/runner/proxy-client.js';

// A machine under load takes its time; no test here is about how long something takes.
jest.setTimeout(20_000);

let folder: string;
let path: string;
let listening: Server;
let site: Server;
let port: number;
let visits: number;
let names: Record<string, LookupAddress[][]>;
const asked: string[] = [];
/** Answers each name with the next of its lists, and then with the last again. */
const proxy = new EgressProxy(async name => {
  asked.push(name);
  const [first, ...rest] = names[name] ?? [];
  if (!first) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
  if (rest.length > 0) names[name] = rest;
  return first;
});

const ipv4 = (address: string): LookupAddress => ({ address, family: 4 });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawl-proxy-'));
  path = join(folder, 'proxy');
  listening = proxy.server().listen(path);
  site = createServer((_request, response) => response.end('the site')).listen(0, '0.0.0.0');
  site.on('connection', () => {
    visits += 1;
  });
  await Promise.all([listening, site].map(server => once(server, 'listening')));
  port = (site.address() as AddressInfo).port;
});
beforeEach(() => {
  visits = 0;
  names = {};
  asked.length = 0;
  proxy.allowed = [];
});
afterAll(async () => {
  for (const server of [listening, site]) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true, force: true });
});

async function read(host: string): Promise<string> {
  const { socket } = await openTunnel(path, host, port);
  socket.end('GET / HTTP/1.0\r\n\r\n');
  let said = '';
  for await (const bytes of socket) said += bytes;
  return said.split('\r\n\r\n')[1] ?? '';
}

const ownAddresses = Object.values(networkInterfaces()).flatMap(list => list?.map(({ address }) => address) ?? []);

test.each([
  ...new Set([
    ...ownAddresses,
    ...['127.0.0.1', '127.1.2.3', '0.0.0.0', '::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1'],
    ...['169.254.169.254', '10.0.0.1', '2002:7f00:1::', 'fe80::1%lo'],
  ]),
])('no run reaches %s', async address => {
  await expect(openTunnel(path, address, port)).rejects.toMatchObject({ code: 'EACCES', address, port });
  expect(visits).toBe(0);
});

test.each(['2001:db9::7', '2001:DB9:0:0::7', '2001:db9::7%1'])(
  'an address of this machine that is not private is not reached either, however it is written: %s',
  async address => {
    const ofThisMachine = jest.spyOn(os, 'networkInterfaces');
    ofThisMachine.mockReturnValue({ eth0: [{ address: '2001:db9::7' }] } as unknown as ReturnType<
      typeof networkInterfaces
    >);
    await expect(openTunnel(path, address, port)).rejects.toMatchObject({ code: 'EACCES', address, port });
    ofThisMachine.mockRestore();
  },
);

test.each(['2130706433', '0x7f.1', '127.1', '017700000001', 'LOCALHOST', 'localhost.'])(
  '%s, as the C library reads it, is what it stands for',
  async name => {
    const plain = new EgressProxy();
    const server = plain.server().listen(join(folder, 'plain'));
    await once(server, 'listening');
    // What the library does not know at all is not reached either.
    await expect(openTunnel(join(folder, 'plain'), name, port)).rejects.toMatchObject({
      code: expect.stringMatching(/^(EACCES|ENOTFOUND|EAI_AGAIN)$/),
    });
    expect(visits).toBe(0);
    server.close();
  },
);

test('what is allowed is reached, on that port and no other, by its address or by a name of it', async () => {
  names = { 'shop.internal': [[ipv4('127.0.0.1')]] };
  proxy.allowed = [{ network: '127.0.0.1/32', port }];
  expect(await read('127.0.0.1')).toBe('the site');
  expect(await read('shop.internal')).toBe('the site');
  await expect(openTunnel(path, '127.0.0.1', port + 1)).rejects.toMatchObject({ code: 'EACCES' });
  await expect(openTunnel(path, '127.0.0.2', port)).rejects.toMatchObject({ code: 'EACCES' });
});

test('a name that resolves to loopback is refused by the address that it has', async () => {
  names = { 'rebound.example': [[ipv4('127.0.0.1')]] };
  await expect(openTunnel(path, 'rebound.example', port)).rejects.toMatchObject({
    code: 'EACCES',
    address: '127.0.0.1',
    message: expect.stringContaining('rebound.example (127.0.0.1)'),
  });
  expect(visits).toBe(0);
});

test('of several addresses only those that may be reached are tried', async () => {
  names = { 'mixed.example': [[{ address: '::1', family: 6 }, ipv4('10.0.0.1'), ipv4('127.0.0.1')]] };
  proxy.allowed = [{ network: '127.0.0.1/32', port }];
  const { address, socket } = await openTunnel(path, 'mixed.example', port);
  expect(address).toBe('127.0.0.1');
  socket.destroy();
});

test('a name is looked up once for a connection: an answer that changes behind the check changes nothing', async () => {
  names = { 'rebinding.example': [[ipv4('127.0.0.1')], [ipv4('127.0.0.2')]] };
  proxy.allowed = [{ network: '127.0.0.1/32', port }];
  const { address, socket } = await openTunnel(path, 'rebinding.example', port);
  expect([address, asked]).toEqual(['127.0.0.1', ['rebinding.example']]);
  socket.destroy();
  await expect(openTunnel(path, 'rebinding.example', port)).rejects.toMatchObject({ code: 'EACCES' });
});

test('a run has four names looked up at a time, and another is not held up by names that nobody answers', async () => {
  const unanswered: ((error: Error) => void)[] = [];
  const lookedUp: string[] = [];
  const slow = new EgressProxy(name => {
    lookedUp.push(name);
    return new Promise((_resolve, reject) => unanswered.push(reject));
  });
  const paths = ['one', 'other'].map(name => join(folder, name)) as [string, string];
  const servers = paths.map(at => slow.server().listen(at));
  await Promise.all(servers.map(server => once(server, 'listening')));
  const tunnels: Promise<unknown>[] = [];
  // Each has come to the proxy before the next sets out.
  const asksFor = async (name: string, run: 0 | 1) => {
    const came = once(servers[run] as Server, 'connect');
    tunnels.push(openTunnel(paths[run], name, port));
    await came;
  };
  for (const name of ['a', 'b', 'c', 'd', 'e']) await asksFor(name, 0);
  await asksFor('z', 1);
  expect(lookedUp).toEqual(['a', 'b', 'c', 'd', 'z']);
  const ends = Promise.allSettled(tunnels);
  unanswered[0]?.(new Error('no answer'));
  await expect(tunnels[0]).rejects.toThrow('no answer');
  expect(lookedUp).toEqual(['a', 'b', 'c', 'd', 'z', 'e']);
  for (const reject of unanswered) reject(new Error('no answer'));
  await ends;
  for (const server of servers) server.close();
});

test('a port where nobody listens, and a name that nobody has, fail as they do without a proxy', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port: free } = closed.address() as AddressInfo;
  await new Promise(resolve => closed.close(resolve));
  proxy.allowed = [{ network: '127.0.0.1/32', port: free }];
  await expect(openTunnel(path, '127.0.0.1', free)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await expect(openTunnel(path, 'nobody.example', port)).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('a run has so many connections at a time, and then others again', async () => {
  proxy.allowed = [{ network: '127.0.0.1/32', port }];
  const tunnels = await Promise.all(Array.from({ length: 256 }, () => openTunnel(path, '127.0.0.1', port)));
  await expect(openTunnel(path, '127.0.0.1', port)).rejects.toMatchObject({ code: 'EMFILE' });
  await Promise.all(
    tunnels.map(({ socket }) => {
      const closed = once(socket, 'close');
      socket.destroy();
      return closed;
    }),
  );
  // The proxy hears of it when it comes to it.
  let said: string | undefined;
  while (said === undefined) {
    said = await read('127.0.0.1').catch(error => {
      expect(error).toMatchObject({ code: 'EMFILE' });
      return undefined;
    });
  }
  expect(said).toBe('the site');
});

test.each([[['lookup', 'localhost'], expect.arrayContaining([expect.objectContaining({ address: '127.0.0.1' })])]])(
  'names are answered as dns.promises does: %j',
  async (call, answer) => {
    expect(await askName(path, call)).toEqual(answer);
  },
);

test.each([
  [['lookupService', '127.0.0.1', 22]],
  [['setServers', ['127.0.0.1']]],
  [['lookup', { all: true }]],
  [[]],
  [null],
])('no other question is answered: %j', async call => {
  await expect(askName(path, call as unknown[])).rejects.toThrow();
});
