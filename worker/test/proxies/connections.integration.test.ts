import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import tls from 'node:tls';
import type { ProxyUse, TakenProxies } from '@trawl/contracts';
import { certificate } from '../../../e2e/proxies/certificate.js';
import { badProxy, closeProxies, deadPort, httpProxy, socksProxy, USER } from '../../../e2e/proxies/local-proxies.js';
import { openThroughProxy } from '../../src/runner/proxies/open-through-proxy.js';
import { ProxiedConnections } from '../../src/runner/proxies/proxied-connections.js';

const TLS = certificate();
const connectTls = tls.connect;
const httpsProxy = ({ asks = false } = {}) => httpProxy({ asks, tls: TLS });

let site: Server;
let port: number;
let connections: ProxiedConnections;
let taken: TakenProxies;
let uses: ProxyUse[];
let reports: ProxyUse[][];
let refuses: boolean;
let warnings: string[];

beforeAll(async () => {
  site = createServer(client => {
    client.on('error', () => {});
    client.end('the site');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  ({ port } = site.address() as AddressInfo);
});
afterAll(() => site.close());
beforeEach(() => {
  [uses, reports, warnings, refuses] = [[], [], [], false];
  connections = new ProxiedConnections(
    {
      take: async () => taken,
      report: async totals => {
        reports.push(totals);
        if (refuses) throw new Error('The platform is down.');
        uses = [...uses.filter(({ id }) => !totals.some(other => other.id === id)), ...totals];
        return [];
      },
    },
    text => warnings.push(text),
  );
  connections.start('run');
});
afterEach(() => {
  jest.restoreAllMocks();
  connections.start('over');
  closeProxies();
});

/** Lets this process trust the certificate of the proxies of `https:`. */
function trustProxies(): void {
  jest
    .spyOn(tls, 'connect')
    .mockImplementation(((options: tls.ConnectionOptions) => connectTls({ ...options, ca: TLS.cert })) as never);
}

const withUser = (scheme: string, ownPort: number, { name, password } = USER) =>
  `${scheme}://${name}:${encodeURIComponent(password)}@127.0.0.1:${ownPort}`;

async function choose(urls: string[], { tiers = urls.map(() => 1), is_sticky = false } = {}): Promise<void> {
  taken = { is_sticky, proxies: urls.map((url, n) => ({ id: `p${n}`, url, tier: tiers[n] as number, rest_ms: 0 })) };
  await connections.choose({ pool: 'mine' });
}

async function read(): Promise<string> {
  const socket = await connections.openForBrowser('shop.test', port);
  return (await buffer(socket)).toString();
}

const failuresOf = () => Object.fromEntries(uses.map(({ id, failures }) => [id, failures]));

it.each([
  ['http', httpProxy],
  ['https', httpsProxy],
  ['socks5', socksProxy],
] as const)(
  'a connection goes through a proxy of %s, which gets the name of the host and the password',
  async (scheme, start) => {
    trustProxies();
    const proxy = await start({ asks: true });
    await choose([withUser(scheme, proxy.port)]);
    expect(await read()).toBe('the site');
    expect(proxy.asked).toEqual([`shop.test:${port}`]);
    await connections.finish();
    expect(uses).toEqual([
      { id: 'p0', connections: 1, failures: 0, bytes_sent: expect.any(Number), bytes_received: expect.any(Number) },
    ]);
    expect(uses[0]?.bytes_sent).toBeGreaterThan(20);
    expect(uses[0]?.bytes_received).toBeGreaterThan(15);
  },
);

const flood = (client: Socket) => {
  const piece = Buffer.alloc(64 * 1024, 'x');
  client.write('HTTP/1.1 200 OK\r\nx: ');
  const more = () => {
    while (!client.destroyed && client.bytesWritten < 100 * 2 ** 20 && client.write(piece));
  };
  client.on('drain', more);
  more();
};

const BAD: [name: string, url: () => Promise<string>, reason: RegExp][] = [
  ['does not exist', async () => `http://127.0.0.1:${await deadPort()}`, /ECONNREFUSED/],
  ['answers garbage', async () => address(await badProxy(client => client.write('\0\x01garbage'))), /is not HTTP/],
  ['answers half a status', async () => address(await badProxy(client => client.end('HTTP/1.1'))), /closed/],
  ['closes the connection', async () => address(await badProxy(client => client.end())), /closed the connection/],
  ['sends 100 MB of header', async () => address(await badProxy(flood)), /larger than 16 KiB/],
  [
    'has another password',
    async () => withUser('http', (await httpProxy({ asks: true })).port, { name: 'anna', password: 'secret-1' }),
    /407/,
  ],
  ['never asks for a password, but wants one', async () => address(await httpProxy({ asks: true })), /407/],
  [
    'has a certificate that no authority has signed',
    async () => address(await httpsProxy(), 'https'),
    /DEPTH_ZERO_SELF_SIGNED_CERT/,
  ],
  ['answers garbage to TLS', async () => address(await badProxy(client => client.write('garbage')), 'https'), /SSL/],
  ['closes TLS', async () => address(await badProxy(client => client.end()), 'https'), /ECONNRESET/],
  [
    'answers garbage to SOCKS',
    async () => address(await badProxy(client => client.write('HTTP/1.1 400')), 'socks5'),
    /SOCKS/,
  ],
  ['closes SOCKS', async () => address(await badProxy(client => client.end()), 'socks5'), /SOCKS/],
  [
    'has another password of SOCKS',
    async () => withUser('socks5', (await socksProxy({ asks: true })).port, { name: 'anna', password: 'secret-1' }),
    /[Aa]uthentication failed/,
  ],
];
const address = ({ port: own }: { port: number }, scheme = 'http') => `${scheme}://127.0.0.1:${own}`;

it.each(BAD)(
  'a proxy that %s is passed over, and the error says why without its password',
  async (_name, start, reason) => {
    const url = await start();
    await choose([url]);
    const error = await read().then(
      () => undefined,
      thrown => thrown as Error,
    );
    expect(error?.message).toMatch(reason);
    expect(error?.message).toContain(
      `No proxy of the pool "mine" opened a connection to shop.test:${port}. 127.0.0.1:`,
    );
    expect(JSON.stringify(error) + error?.stack + String(error?.cause)).not.toMatch(/secret-1/);
    expect(warnings).toEqual([error?.message]);
    const good = await httpProxy();
    await choose([url, address(good)]);
    connections.start('next');
    await choose([url, address(good)]);
    expect([await read(), await read()]).toEqual(['the site', 'the site']);
  },
);

it.each(['http', 'socks5'])('an answer of a proxy of %s in many pieces leaves no listeners behind', async scheme => {
  const answers = scheme === 'http' ? ['HTTP/1.1 200 OK\r\nvia: me\r\n\r\n'] : ['\x05\0', '\x05\0\0\x01\0\0\0\0\0\0'];
  const listenersAfter = async (length: number) => {
    const proxy = await badProxy(async client => {
      for (const answer of answers) {
        for (let at = 0; at < answer.length; at += length) {
          client.write(answer.slice(at, at + length), 'latin1');
          await setImmediate();
        }
        await once(client, 'data');
      }
    });
    const socket = await openThroughProxy(
      address(proxy, scheme),
      { host: 'shop.test', port },
      {
        connectDirectly: Socket.prototype.connect as never,
        signal: new AbortController().signal,
        connected: () => {},
        clientSpeaksFirst: () => true,
      },
    );
    const counts = socket.eventNames().map(event => [event, socket.listenerCount(event)]);
    socket.destroy();
    return Object.fromEntries(counts);
  };
  expect(await listenersAfter(1)).toEqual(await listenersAfter(100));
});

it.each(['http', 'https', 'socks5'])(
  'a proxy of %s that does not answer is passed over after five seconds',
  async scheme => {
    const silent = await badProxy(() => {});
    await choose([address(silent, scheme), address(await httpProxy())], { tiers: [1, 2] });
    expect(await read()).toBe('the site');
    await connections.finish();
    expect(failuresOf()).toEqual({ p0: 1, p1: 0 });
  },
);

it.each([
  ['http', () => httpProxy({ status: 502 })],
  ['socks5', () => socksProxy({ reply: 5 })],
] as const)('a target that no proxy of %s reaches counts as a failure of none', async (scheme, start) => {
  const proxies = [await start(), await start(), await start(), await start()];
  await choose(proxies.map(proxy => address(proxy, scheme)));
  await expect(read()).rejects.toThrow(/shop\.test/);
  await connections.finish();
  expect(uses.filter(({ failures }) => failures > 0)).toEqual([]);
  // Three are tried.
  expect(proxies.map(({ asked }) => asked.length)).toEqual([1, 1, 1, 0]);
});

it('a proxy that does not reach a target counts as failed if another one reaches it', async () => {
  await choose([address(await httpProxy({ status: 503 })), address(await httpProxy())], { tiers: [1, 2] });
  expect(await read()).toBe('the site');
  await connections.finish();
  expect(failuresOf()).toEqual({ p0: 1, p1: 0 });
});

it('proxies take turns, those of a later tier only while all of the tier before rest', async () => {
  const dead = await deadPort();
  const [second, third] = [await httpProxy(), await httpProxy()];
  await choose([`http://127.0.0.1:${dead}`, address(second), address(third)], { tiers: [1, 2, 2] });
  for (let n = 0; n < 9; n += 1) expect(await read()).toBe('the site');
  await connections.finish();
  // The dead one rests after three failures.
  expect(failuresOf()).toEqual({ p0: 3, p1: 0, p2: 0 });
  expect(Math.abs(second.asked.length - third.asked.length)).toBe(1);
});

it('a connection does not meet several dead proxies in a row, once they have failed', async () => {
  const dead = await Promise.all(Array.from({ length: 5 }, deadPort));
  const good = await Promise.all(Array.from({ length: 4 }, () => httpProxy()));
  await choose([...good.map(proxy => address(proxy)), ...dead.map(own => `http://127.0.0.1:${own}`)]);
  await Promise.all(Array.from({ length: 9 }, read));
  for (let n = 0; n < 9; n += 1) expect(await read()).toBe('the site');
  await connections.finish();
  expect(uses.reduce((sum, { failures }) => sum + failures, 0)).toBe(5);
});

it('reports are totals: the next one replaces a report that the platform did not get', async () => {
  await choose([address(await httpProxy()), address(await httpProxy())]);
  await read();
  refuses = true;
  await connections.finish();
  refuses = false;
  await read();
  await read();
  await connections.finish();
  const counts = reports.map(totals => totals.map(({ id, connections }) => [id, connections]));
  expect(counts).toEqual([
    [['p0', 1]],
    [
      ['p0', 2],
      ['p1', 1],
    ],
  ]);
  // Nothing has changed, so nothing is sent.
  await connections.finish();
  expect(reports).toHaveLength(2);
});

it('totals begin anew with each run', async () => {
  await choose([address(await httpProxy())]);
  await read();
  await connections.finish();
  connections.start('next');
  await choose(taken.proxies.map(({ url }) => url));
  await read();
  await connections.finish();
  expect(reports.map(([use]) => use?.connections)).toEqual([1, 1]);
});

it('a session keeps its proxy, also in a later run, and moves when it rests', async () => {
  const proxies = await Promise.all(Array.from({ length: 8 }, () => httpProxy()));
  const through = async (session: string) => {
    const before = proxies.map(({ asked }) => asked.length);
    await choose(proxies.map(proxy => address(proxy)));
    await connections.choose({ pool: 'mine', session });
    for (let n = 0; n < 3; n += 1) await read();
    return proxies.flatMap(({ asked }, n) => (asked.length - (before[n] as number) === 3 ? [n] : []));
  };
  const [one] = await through('cart');
  connections.start('later');
  expect(await through('cart')).toEqual([one]);
  const others = [];
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) others.push((await through(name))[0]);
  expect(new Set(others).size).toBeGreaterThan(1);
  proxies[one as number]?.server.close();
  for (let n = 0; n < 4; n += 1) {
    await connections.choose({ pool: 'mine', session: 'cart' });
    expect(await read()).toBe('the site');
  }
  const [other] = await through('cart');
  expect(other).not.toBe(one);
});

it('an answer of the platform lets a proxy rest, and an empty pool is an error', async () => {
  await choose([]);
  await expect(read()).rejects.toThrow('No proxy of the pool "mine"');
  connections = new ProxiedConnections(
    {
      take: async () => Promise.reject(new Error('You have no pool "mine". Your pools: "de".')),
      report: async () => [],
    },
    () => {},
  );
  await expect(connections.choose({ pool: 'mine' })).rejects.toThrow('You have no pool "mine". Your pools: "de".');
});
