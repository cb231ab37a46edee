import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os, { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { EgressProxy } from '../src/egress/egress-proxy.js';
import { openTunnel, queryDns } from '../src/runner/network/proxy-client.js';

// A long timeout for a machine under load; no test here measures time.

let folder: string;
let path: string;
let listening: Server;
let site: Server;
let port: number;
let visits: number;
let names: Record<string, LookupAddress[][]>;
const asked: string[] = [];
/**
 * A proxy whose lookups the test controls: each lookup of a name gives the name's next list of addresses, and the last
 * list is repeated.
 */
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
])('the egress proxy denies the private address %s', async address => {
  await expect(openTunnel(path, address, port)).rejects.toMatchObject({ code: 'EACCES', address, port });
  expect(visits).toBe(0);
});

test.each(['2001:db9::7', '2001:DB9:0:0::7', '2001:db9::7%1'])(
  'the egress proxy denies a public address of its own machine in every spelling: %s',
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
  'the egress proxy denies %s, which the C library resolves to loopback',
  async name => {
    const plain = new EgressProxy();
    const server = plain.server().listen(join(folder, 'plain'));
    await once(server, 'listening');
    // There are several possible error codes, because some C libraries do not resolve every one of these spellings.
    await expect(openTunnel(join(folder, 'plain'), name, port)).rejects.toMatchObject({
      code: expect.stringMatching(/^(EACCES|ENOTFOUND|EAI_AGAIN)$/),
    });
    expect(visits).toBe(0);
    server.close();
  },
);

test('the egress proxy reaches an allowed private address by address or name, on its port only', async () => {
  names = { 'shop.internal': [[ipv4('127.0.0.1')]] };
  proxy.allowed = [{ network: '127.0.0.1/32', port }];
  expect(await read('127.0.0.1')).toBe('the site');
  expect(await read('shop.internal')).toBe('the site');
  await expect(openTunnel(path, '127.0.0.1', port + 1)).rejects.toMatchObject({ code: 'EACCES' });
  await expect(openTunnel(path, '127.0.0.2', port)).rejects.toMatchObject({ code: 'EACCES' });
});

test('the egress proxy denies a name that resolves to loopback, and the error contains the address', async () => {
  names = { 'rebound.example': [[ipv4('127.0.0.1')]] };
  await expect(openTunnel(path, 'rebound.example', port)).rejects.toMatchObject({
    code: 'EACCES',
    address: '127.0.0.1',
    message: expect.stringContaining('rebound.example (127.0.0.1)'),
  });
  expect(visits).toBe(0);
});

test('if a name has several addresses, the egress proxy tries only the allowed ones', async () => {
  names = { 'mixed.example': [[{ address: '::1', family: 6 }, ipv4('10.0.0.1'), ipv4('127.0.0.1')]] };
  proxy.allowed = [{ network: '127.0.0.1/32', port }];
  const { address, socket } = await openTunnel(path, 'mixed.example', port);
  expect(address).toBe('127.0.0.1');
  socket.destroy();
});

test('the egress proxy looks a name up once for a connection, so that DNS rebinding has no effect', async () => {
  names = { 'rebinding.example': [[ipv4('127.0.0.1')], [ipv4('127.0.0.2')]] };
  proxy.allowed = [{ network: '127.0.0.1/32', port }];
  const { address, socket } = await openTunnel(path, 'rebinding.example', port);
  expect([address, asked]).toEqual(['127.0.0.1', ['rebinding.example']]);
  socket.destroy();
  await expect(openTunnel(path, 'rebinding.example', port)).rejects.toMatchObject({ code: 'EACCES' });
});

test('the egress proxy limits a run to four concurrent DNS lookups, and does not delay other runs', async () => {
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
  // Sends a request and waits until the proxy has received it, so that the requests arrive in order.
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

test('through the egress proxy, a closed port and an unknown name fail with their usual error codes', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port: free } = closed.address() as AddressInfo;
  await new Promise(resolve => closed.close(resolve));
  proxy.allowed = [{ network: '127.0.0.1/32', port: free }];
  await expect(openTunnel(path, '127.0.0.1', free)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await expect(openTunnel(path, 'nobody.example', port)).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('the egress proxy limits a run to 256 concurrent connections', async () => {
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
  // Repeat the request, because the proxy handles the closed connections asynchronously.
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
  'the egress proxy answers DNS queries as dns.promises does: %j',
  async (call, answer) => {
    expect(await queryDns(path, call)).toEqual(answer);
  },
);

test.each([
  [['lookupService', '127.0.0.1', 22]],
  [['setServers', ['127.0.0.1']]],
  [['lookup', { all: true }]],
  [[]],
  [null],
])('the egress proxy rejects invalid DNS queries: %j', async call => {
  await expect(queryDns(path, call as unknown[])).rejects.toThrow();
});
