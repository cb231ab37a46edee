import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createPlainServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { PlatformStandIn } from './platform-stand-in.js';
import { WorkerProcess } from './worker-process.js';

// A long timeout for a machine under load; no test here measures time.

const isRoot = process.getuid?.() === 0;
const ABSTRACT = `\0trawl-test-${process.pid}`;
const REFUSALS = ['EACCES', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED', 'EPERM', 'EINVAL', 'EADDRNOTAVAIL'];
const UNKNOWN_NAMES = ['ENOTFOUND', 'EAI_AGAIN'];

/** Command that starts the worker as root but without the right to create networks, as in a container. */
const WITHOUT_RULES = ['setpriv', '--bounding-set=-net_admin', '--inh-caps=-net_admin', '--'];

let visits = 0;
const countVisit = () => {
  visits += 1;
};
const forbidden = createServer((_request, response) => response.end('forbidden')).on('connection', countVisit);
const allowed = createServer(({ url = '' }, response) => {
  if (url === '/there') response.writeHead(302, { location: `http://127.0.0.1:${portOf(forbidden)}/` });
  response.end('allowed');
});
/** Has the port of the allowed server, but another address. */
const besideAllowed = createPlainServer(connection => connection.destroy()).on('connection', countVisit);
const abstract = createPlainServer(connection => connection.destroy()).on('connection', countVisit);
const datagrams = createSocket('udp4');

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;
const ownAddresses = Object.values(networkInterfaces()).flatMap(list => list?.map(({ address }) => address) ?? []);

/**
 * Listens on a port below those that systems and the end-to-end tests choose. With the proxy, a run has a SOCKS relay on
 * all addresses of its own loopback. If the relay happened to have the port of a server here, the run would connect to
 * the relay.
 */
async function listen(server: Server, host: string): Promise<void> {
  for (;;) {
    const listening = once(server, 'listening');
    server.listen(randomInt(10_000, 20_000), host);
    try {
      await listening;
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

beforeAll(async () => {
  // Listen on all addresses of the machine, both IPv4 and IPv6.
  await listen(forbidden, '::');
  await listen(allowed, '127.0.0.1');
  besideAllowed.listen(portOf(allowed), '127.0.0.2');
  abstract.listen(ABSTRACT);
  datagrams.bind(0, '0.0.0.0');
  await Promise.all([besideAllowed, abstract, datagrams].map(server => once(server, 'listening')));
});
afterAll(() => {
  for (const server of [forbidden, allowed]) server.closeAllConnections();
  for (const server of [forbidden, allowed, besideAllowed, abstract, datagrams]) server.close();
});

(isRoot ? describe : describe.skip).each([
  ['namespaces', [] as string[]],
  ['proxy', WITHOUT_RULES],
])('egress filtered by %s', (kind, through) => {
  const platform = new PlatformStandIn();
  let worker: WorkerProcess;

  beforeAll(async () => {
    await platform.open();
    worker = await WorkerProcess.create(platform.url);
    worker.start({ TRAWL_EGRESS_ALLOW: `127.0.0.1:${portOf(allowed)}` }, through);
    await platform.connected();
    visits = 0;
  });
  afterAll(async () => {
    await worker.remove();
    await platform.close();
  });

  async function output(skript: string): Promise<any> {
    const finish = await platform.run(skript);
    expect(finish.error_stack).toBeNull();
    return JSON.parse(finish.output ?? 'null');
  }

  test('is reported in the worker’s hello', () => {
    const layer = platform.hellos[0]?.sandbox_layers.find(({ name }) => name === 'egress');
    expect(layer).toEqual({ name: 'egress', holds: true, note: expect.stringContaining(kind) });
  });

  /** Runs a skript that connects to each target. Returns `connected` or the error code for each target. */
  const attempts = (targets: ({ host: string; port: number } | { path: string })[]) =>
    output(`
      const { connect } = require('node:net');
      const attempt = target => new Promise(resolve => {
        const socket = connect(target, () => { socket.destroy(); resolve('connected'); });
        socket.on('error', error => resolve(error.code ?? error.errors?.[0]?.code ?? String(error)));
      });
      module.exports = () => Promise.all(${JSON.stringify(targets)}.map(attempt));`);

  test('denies loopback, the machine’s own and private addresses in every spelling', async () => {
    const hosts = [
      ...new Set([
        ...ownAddresses.filter(address => !address.startsWith('fe80')),
        ...['127.0.0.1', '127.0.0.2', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0.0.0.0', '::'],
        ...['localhost', 'LOCALHOST', '2130706433', '0x7f000001', '127.1', '017700000001'],
      ]),
    ];
    const ends = await attempts(hosts.map(host => ({ host, port: portOf(forbidden) })));
    for (const [index, host] of hosts.entries()) {
      expect([host, ends[index]]).toEqual([host, expect.stringMatching([...REFUSALS, ...UNKNOWN_NAMES].join('|'))]);
    }
    expect(visits).toBe(0);
  });

  test('denies the cloud metadata address and private networks', async () => {
    const hosts = [
      '169.254.169.254',
      '10.0.0.1',
      '192.168.1.1',
      '100.64.0.1',
      'fd00:ec2::254',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
    ];
    const ends: string[] = await attempts(hosts.map(host => ({ host, port: 80 })));
    for (const [index, host] of hosts.entries()) {
      expect([host, ends[index]]).toEqual([host, expect.stringMatching(REFUSALS.join('|'))]);
    }
  });

  test('denies databases, including their Unix sockets', async () => {
    const targets = [process.env.TRAWL_TEST_POSTGRES_URL, process.env.TRAWL_TEST_MONGODB_URI].map(address => {
      const { hostname, port, searchParams } = new URL(address ?? '');
      const host = searchParams.get('host') ?? decodeURIComponent(hostname);
      return host.startsWith('/') ? { path: host } : { host, port: Number(port) };
    });
    for (const end of await attempts(targets)) expect([...REFUSALS, 'ENOENT']).toContain(end);
  });

  test('denies private addresses reached by DNS rebinding or redirects', async () => {
    const seen = await output(`
      const http = require('node:http');
      let asked = 0;
      const lookup = (_name, { all }, callback) => {
        const address = (asked += 1) > 1 ? '127.0.0.1' : '127.0.0.2';
        callback(null, all ? [{ address, family: 4 }] : address, 4);
      };
      const rebound = () => new Promise(resolve => {
        http.get({ host: 'rebound.example', port: ${portOf(forbidden)}, lookup }, () => resolve('answered')).on('error', error => resolve(error.code));
      });
      module.exports = async () => ({
        first: await rebound(),
        second: await rebound(),
        redirect: await fetch('http://127.0.0.1:${portOf(allowed)}/there').then(answer => answer.text(), error => error.cause.code),
      });`);
    for (const end of Object.values(seen)) expect(REFUSALS).toContain(end);
    expect(visits).toBe(0);
  });

  test('denies UDP, connections of child processes, and abstract sockets', async () => {
    const script = `require('net').connect(${portOf(forbidden)}, '127.0.0.1').on('connect', () => console.log('connected')).on('error', e => console.log(e.code))`;
    const seen = await output(`
      const { createSocket } = require('node:dgram');
      const { connect } = require('node:net');
      const { execFile } = require('node:child_process');
      const send = host => new Promise(resolve => {
        const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4').on('error', () => {});
        socket.send('from a run', ${datagrams.address().port}, host, error => { socket.close(); resolve(error?.code ?? 'sent'); });
      });
      module.exports = async () => {
        for (const host of ${JSON.stringify(['127.0.0.1', ...ownAddresses.filter(address => !address.startsWith('fe80'))])}) await send(host);
        return {
          child: await new Promise(resolve => execFile(process.execPath, ['-e', ${JSON.stringify(script)}], (_error, stdout) => resolve(stdout.trim()))),
          abstract: await new Promise(resolve => connect(${JSON.stringify(ABSTRACT)}, () => resolve('connected')).on('error', error => resolve(error.code))),
        };
      };`);
    expect(REFUSALS).toContain(seen.child);
    expect(REFUSALS).toContain(seen.abstract);
    const arrived = once(datagrams, 'message');
    const sender = createSocket('udp4');
    sender.send('from here', datagrams.address().port, '127.0.0.1', () => sender.close());
    expect(String((await arrived)[0])).toBe('from here');
    expect(visits).toBe(0);
  });

  test('lets a run reach an allowed address with net, http, fetch and by name, on its port only', async () => {
    const seen = await output(`
      const http = require('node:http');
      const dns = require('node:dns');
      const { HttpClient } = require('@trawl/httpclient');
      const url = 'http://127.0.0.1:${portOf(allowed)}/';
      module.exports = async () => ({
        fetch: await (await fetch(url)).text(),
        http: await new Promise((resolve, reject) => http.get(url, answer => answer.on('data', bytes => resolve(String(bytes)))).on('error', reject)),
        axios: (await require('axios').get(url)).data,
        got: await require('got')(url).text(),
        client: (await new HttpClient().html(url)).content,
        proxy: (await new HttpClient({ proxyUrl: url }).html('http://shop.example/')).content,
        name: (await dns.promises.lookup('localhost', { family: 4 })).address,
        many: (await Promise.all(Array.from({ length: 50 }, async () => (await fetch(url)).text()))).every(text => text === 'allowed'),
      });`);
    expect(seen).toEqual({
      fetch: 'allowed',
      http: 'allowed',
      axios: 'allowed',
      got: 'allowed',
      client: 'allowed',
      proxy: 'allowed',
      name: '127.0.0.1',
      many: true,
    });
    expect(await attempts([{ host: '127.0.0.2', port: portOf(besideAllowed) }])).toEqual([
      expect.stringMatching(REFUSALS.join('|')),
    ]);
    expect(visits).toBe(0);
  });

  test('adds an explanation to the error of a denied connection', async () => {
    const finish = await platform.run(`module.exports = () => fetch('http://169.254.169.254/latest/meta-data/');`);
    expect(finish).toMatchObject({ action: 'error', error_code: 'exception' });
    expect(finish.error_stack).toContain('169.254.169.254 is a loopback, private or otherwise special address');
    expect(finish.error_stack).toContain('TRAWL_EGRESS_ALLOW');
  });
});
