import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import type { ProxyUse, StorageAnswer } from '@trawl/contracts';
import { RegistryStandIn } from '@trawl/libraries/registry-stand-in';
import { serialize } from 'bson';
import { WebSocketServer } from 'ws';
import { certificate } from '../../../e2e/proxies/certificate.js';
import {
  badProxy,
  closeProxies,
  deadPort,
  httpProxy,
  type LocalProxy,
  socksProxy,
  USER,
} from '../../../e2e/proxies/local-proxies.js';
import { PlatformStandIn } from '../platform-stand-in.js';
import { installed, publishedLock } from '../published-lock.js';
import { WITH_BROWSER, WorkerProcess } from '../worker-process.js';

const isRoot = process.getuid?.() === 0;
/** Command that starts the worker as root but without the right to create networks, as in a container. */
const WITHOUT_RULES = ['setpriv', '--bounding-set=-net_admin', '--inh-caps=-net_admin', '--'];

const answer = (
  request: { url?: string },
  response: { end(text: string): unknown; setHeader(name: string, value: string): unknown },
) => {
  response.setHeader('content-type', 'text/html');
  response.end(`<title>${request.url}</title>`);
};
const plain = createServer((request: IncomingMessage, response: ServerResponse) => answer(request, response));
const TLS = certificate();
const secure = createSecureServer({ ...TLS, allowHTTP1: true }, (request, response) =>
  answer(request, response as never),
);
const sockets = new WebSocketServer({ server: plain });
sockets.on('connection', socket => socket.on('message', text => socket.send(`back: ${text}`)));
const portOf = (server: Server | object) => ((server as Server).address() as AddressInfo).port;

let http: LocalProxy;
let asking: LocalProxy;
let encrypted: LocalProxy;
let socks: LocalProxy;
let dead: number;
let hidden: LocalProxy;
let early: Record<'http' | 'https' | 'socks5', LocalProxy>;
const registry = new RegistryStandIn();

beforeAll(async () => {
  for (const server of [plain, secure]) await once(server.listen(0, '127.0.0.1'), 'listening');
  await registry.open();
  [http, asking, encrypted, socks, hidden] = [
    await httpProxy(),
    await httpProxy({ asks: true }),
    await httpProxy({ asks: true, tls: TLS }),
    await socksProxy({ asks: true }),
    await httpProxy(),
  ];
  dead = await deadPort();
  const accepted = 'HTTP/1.1 200 OK\r\n\r\n';
  early = {
    http: await badProxy(client => client.write(`${accepted}220 ready`)),
    https: await badProxy(client => client.write(`${accepted}220 ready`), TLS),
    socks5: await badProxy(client => {
      client.write(Buffer.from([5, 0]));
      client.once('data', () =>
        client.write(Buffer.concat([Buffer.from([5, 0, 0, 3, 255]), Buffer.alloc(257 + 2 ** 20, 'z')])),
      );
    }),
  };
});
afterAll(async () => {
  closeProxies();
  await registry.close();
  sockets.close();
  plain.closeAllConnections();
  for (const server of [plain, secure]) server.close();
});

const user = `${USER.name}:${encodeURIComponent(USER.password)}`;
const asked = () => [http, asking, encrypted, socks].flatMap(proxy => proxy.asked.splice(0));

/** Code that launches a browser, and a function `open` that opens a page of it. */
const BROWSERS = [
  [
    'Puppeteer',
    `const browser = await require('puppeteer').launch({ acceptInsecureCerts: true });
     const open = async () => (await browser.createBrowserContext()).newPage();`,
  ],
  [
    'Playwright',
    `const browser = await require('playwright-core').chromium.launch();
     const open = () => browser.newPage({ ignoreHTTPSErrors: true });`,
  ],
] as const;

(isRoot ? describe : describe.skip).each([
  ['namespaces', [] as string[]],
  ['proxy', WITHOUT_RULES],
])('proxies of a run whose egress is filtered by %s', (kind, through) => {
  const platform = new PlatformStandIn();
  let worker: WorkerProcess;
  /** The last totals of each run and proxy. */
  let totals: Map<string, ProxyUse>;
  const uses = () => [...totals.values()];
  let taken: object[];
  let urls: string[];
  let encryptedUrl: string;
  let lock: string;
  let site: string;
  let secureSite: string;

  beforeAll(async () => {
    await platform.open();
    worker = await WorkerProcess.create(platform.url);
    const allowed = [http, asking, encrypted, socks, ...Object.values(early), { port: dead }]
      .map(({ port }) => `127.0.0.1:${port}`)
      .join();
    worker.start({ ...WITH_BROWSER, TRAWL_EGRESS_ALLOW: allowed, TRAWL_NPM_REGISTRY: registry.url }, through);
    await platform.connected();
    lock = await publishedLock(registry, platform, { 'playwright-core': installed('playwright-core') });
    encryptedUrl = `https://${user}@127.0.0.1:${encrypted.port}`;
    [site, secureSite] = [`http://shop.test:${portOf(plain)}`, `https://shop.test:${portOf(secure)}`];
  });
  afterAll(async () => {
    await worker.remove();
    await platform.close();
  });
  beforeEach(() => {
    [totals, taken] = [new Map(), []];
    asked();
    urls = [
      `http://127.0.0.1:${http.port}`,
      `http://${user}@127.0.0.1:${asking.port}`,
      `socks5://${user}@127.0.0.1:${socks.port}`,
    ];
    platform.answerStorage = ({ id, op: { method, args } }): StorageAnswer => {
      if (method !== 'takeProxies' && method !== 'reportProxies') return { result: serialize({}) };
      const sent = JSON.parse(Buffer.from(args).toString());
      if (method === 'reportProxies') {
        for (const use of sent.totals) totals.set(`${id} ${use.id}`, use);
        return json({ rest: [] });
      }
      taken.push(sent);
      if (sent.pool === 'none') return { error: { code: 'storage_rejected', message: 'You have no pool "none".' } };
      return json({ is_sticky: false, proxies: urls.map((url, n) => ({ id: String(n), url, tier: 1, rest_ms: 0 })) });
    };
  });
  const json = (value: object) => ({ result: Buffer.from(JSON.stringify(value)) });

  async function run(code: string, options: object = { proxy: 'mine' }) {
    const input = JSON.stringify({ site, secureSite, hidden: hidden.port });
    const id = await platform.start(code, { input, ...options });
    const finish = await platform.ended(id);
    return { finish, output: JSON.parse(finish.output ?? 'null'), echoes: await platform.echoes(id) };
  }

  const LIBRARIES = `
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const axios = require('axios');
    const got = require('got');
    const net = require('node:net');
    const tls = require('node:tls');
    const http2 = require('node:http2');
    const { HttpClient } = require('@trawl/httpclient');
    const read = async stream => { let text = ''; for await (const bytes of stream) text += bytes; return text; };
    const title = text => /<title>(.*?)<.title>/.exec(text)[1];
    const byHttp = (module, url, options = {}) => new Promise((resolve, reject) => {
      module.get(url, options, response => resolve(read(response))).on('error', reject);
    });
    module.exports = async ({ site, secureSite }) => {
      const found = [];
      for (const base of [site, secureSite]) {
        const http = require(base === site ? 'node:http' : 'node:https');
        const { hostname: host, port } = new URL(base);
        const unsafe = { https: { rejectUnauthorized: false } };
        found.push(...await Promise.all([
          fetch(base + '/fetch').then(response => response.text()),
          axios.get(base + '/axios').then(({ data }) => data),
          got(base + '/got', unsafe).text(),
          byHttp(http, base + '/node'),
          byHttp(http, base + '/agent', { agent: new http.Agent({ keepAlive: true }) }),
          new HttpClient().html(base + '/httpclient').then(({ content }) => content),
          (() => {
            const socket = base === site ? net.connect(port, host) : tls.connect({ port, host, rejectUnauthorized: false });
            socket.write('GET /raw HTTP/1.1\\r\\nHost: shop.test\\r\\nConnection: close\\r\\n\\r\\n');
            return read(socket);
          })(),
        ]));
      }
      const session = http2.connect(secureSite);
      found.push(await read(session.request({ ':path': '/http2' })));
      session.close();
      const socket = new WebSocket(site.replace('http', 'ws'));
      socket.onopen = () => socket.send('hello');
      const { data } = await new Promise(resolve => { socket.onmessage = resolve; });
      socket.close();
      return [...found.map(title).sort(), data];
    };`;

  test('all libraries connect through the pool of the skript, and the address record names the target', async () => {
    urls.push(encryptedUrl);
    const { finish, output } = await run(LIBRARIES);
    expect(finish.error_stack).toBeNull();
    const both = ['agent', 'axios', 'fetch', 'got', 'httpclient', 'node', 'raw'].flatMap(name => [
      `/${name}`,
      `/${name}`,
    ]);
    expect(output).toEqual([...both, '/http2', 'back: hello'].sort());
    const targets = asked();
    expect(new Set(targets)).toEqual(new Set([`shop.test:${portOf(plain)}`, `shop.test:${portOf(secure)}`]));
    // Each proxy has had its turns, and the platform hears of all.
    const byId = (field: keyof ProxyUse) => (id: string) =>
      uses()
        .filter(use => use.id === id)
        .reduce((sum, use) => sum + Number(use[field]), 0);
    const ids = urls.map((_, n) => String(n));
    const connections = ids.map(byId('connections'));
    expect(connections.reduce((sum, count) => sum + count)).toBe(targets.length);
    expect(Math.max(...connections) - Math.min(...connections)).toBeLessThan(2);
    for (const id of ids) expect(byId('bytes_received')(id)).toBeGreaterThan(1_000);
    expect(taken).toEqual([{ pool: 'mine' }]);
    expect(JSON.stringify(finish.requests ?? [])).not.toContain('127.0.0.1');
  });

  test('code chooses the proxies, for what it connects after that; loopback stays direct', async () => {
    const { finish, output } = await run(
      `
      const { proxy } = require('@trawl/storage');
      const http = require('node:http');
      const read = async url => (await (await fetch(url)).text());
      module.exports = async ({ site }) => {
        const own = http.createServer((_request, response) => response.end('own')).listen(0);
        await proxy({ pool: 'mine', country: 'de', tier: 2, session: 'a' });
        const agent = new http.Agent({ keepAlive: true });
        const kept = () => new Promise((resolve, reject) => {
          http.get(site, { agent }, response => response.resume().on('end', () => setImmediate(resolve))).on('error', reject);
        });
        const steps = [];
        for (const session of ['a', 'b', 'c', 'd', 'e']) {
          await proxy({ pool: 'mine', session });
          await read(site);
          for (let n = 0; n < 2; n += 1) await kept();
        }
        const local = await read('http://127.0.0.1:' + own.address().port);
        own.close();
        await proxy(null);
        const error = await fetch(site).then(() => null, thrown => thrown.cause.code);
        const failed = [];
        for (const options of [{ pool: 'none' }, { size: 3 }, { country: 'Germany' }, {}]) {
          await proxy(options).catch(({ message }) => failed.push(message));
        }
        return { local, error, failed };
      };`,
      {},
    );
    expect(finish.error_stack).toBeNull();
    expect(output.local).toBe('own');
    // Only the proxies know the name.
    expect(output.error).toMatch(/ENOTFOUND|EAI_AGAIN/);
    expect(output.failed).toEqual([
      'Trawl has no proxies for this run: You have no pool "none".',
      'proxy: there is no option "size", only pool, country, tier, session.',
      'proxy: country must be two lower-case letters, such as "de".',
      "proxy: the skript has no pool of proxies. Name one, as in proxy({ pool: 'shops' }).",
    ]);
    expect(taken).toEqual([{ pool: 'mine', country: 'de', tier: 2 }, { pool: 'mine' }, { pool: 'none' }]);
    // Connections that are kept for later do not serve another session.
    expect(asked()).toHaveLength(10);
  });

  test('an error names the proxy and the reason, and no echo has the password', async () => {
    urls = [`http://${user}@127.0.0.1:${dead}`, `http://anna:wrong-password@127.0.0.1:${asking.port}`];
    const { finish, echoes } = await run(`
      module.exports = async ({ site }) => {
        const answer = await globalThis[Symbol.for('trawl.storage')]({ method: 'takeProxies', args: Buffer.from('{"pool":"mine"}') });
        const text = Buffer.from(answer.result).toString();
        console.log(text);
        console.log(JSON.parse(text).proxies.map(({ url }) => decodeURIComponent(new URL(url).password)));
        await fetch(site);
      };`);
    expect(finish.error_stack).toContain('No proxy of the pool "mine" opened a connection to shop.test');
    // In a network of its own, a relay accepts the connection and closes it.
    expect(finish.error_stack).toMatch(new RegExp(`127.0.0.1:${dead}: (ECONNREFUSED|it closed the connection)`));
    expect(finish.error_stack).toContain(`127.0.0.1:${asking.port}: it refused the name and password (407)`);
    const said = JSON.stringify([finish, echoes]);
    for (const secret of [USER.password, encodeURIComponent(USER.password), 'wrong-password'])
      expect(said).not.toContain(secret);
  });

  test.each(['http', 'https', 'socks5'] as const)(
    'a request fails once if a proxy of %s sends data before it, and another proxy takes over',
    async scheme => {
      const bad = `${scheme}://127.0.0.1:${early[scheme].port}`;
      const requests = `
        process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
        const http = require('node:http');
        const https = require('node:https');
        const axios = require('axios');
        const reason = ({ cause, message }) => cause?.message?.includes('pool') ? cause.message : message;
        const get = (module, url) => new Promise((resolve, reject) => {
          module.get(url, response => resolve(response.resume().statusCode)).on('error', reject);
        });
        module.exports = async ({ site, secureSite }) => {
          const found = [];
          for (const request of [
            () => fetch(site).then(({ status }) => status),
            () => fetch(secureSite).then(({ status }) => status),
            () => axios.get(site).then(({ status }) => status),
            () => get(http, site),
            () => get(https, secureSite),
          ]) found.push(await request().catch(reason));
          return found;
        };`;
      urls = [bad];
      const alone = await run(requests);
      expect(alone.finish.error_stack).toBeNull();
      const reason = `127.0.0.1:${early[scheme].port}: it sent data before the request.`;
      expect(alone.output).toEqual(Array(5).fill(expect.stringContaining(reason)));
      expect(uses()).toEqual([expect.objectContaining({ connections: 0, failures: 5 })]);
      expect(early[scheme].asked.splice(0)).toHaveLength(5);
      urls = [bad, `http://127.0.0.1:${http.port}`];
      const { output } = await run(requests);
      expect(output).toEqual([200, 200, 200, 200, 200]);
      expect(early[scheme].asked.splice(0)).toHaveLength(1);
    },
  );

  test('a raw connection gets the greeting of a server that speaks first', async () => {
    urls = [`http://127.0.0.1:${early.http.port}`];
    const { output } = await run(`
      const { once } = require('node:events');
      module.exports = async ({ site }) => {
        const { hostname, port } = new URL(site);
        const [greeting] = await once(require('node:net').connect(port, hostname), 'data');
        return greeting.toString();
      };`);
    expect(output).toBe('220 ready');
    early.http.asked.splice(0);
  });

  test('the egress rules refuse a proxy at a private address, and the error names the setting', async () => {
    urls = [`http://127.0.0.1:${hidden.port}`];
    const { finish, output } = await run(`
      module.exports = async ({ site }) => fetch(site).catch(({ cause }) => cause.message);`);
    expect(finish.error_stack).toBeNull();
    expect(output).toContain(`127.0.0.1:${hidden.port}: `);
    expect(output).toContain("runs reach it only if the worker's owner allows it with TRAWL_EGRESS_ALLOW.");
    const uncaught = await run('module.exports = async ({ site }) => { await fetch(site); };');
    expect(uncaught.finish.error_stack?.split('TRAWL_EGRESS_ALLOW')).toHaveLength(2);
    expect(hidden.asked).toEqual([]);
  });

  test('a run that was stopped by an error reports its uses, and the next run of its process connects directly', async () => {
    const code = `
      module.exports = async ({ site }) => {
        const answer = await fetch(site).then(response => response.status, ({ cause }) => cause.code);
        return [process.pid, answer];
      };`;
    const first = await run(code, { proxy: 'mine', warm: true });
    const second = await run(code, { proxy: 'mine', warm: true });
    expect([first.output[1], second.output[1]]).toEqual([200, 200]);
    const third = await run(code, { warm: true });
    expect(third.output[1]).toMatch(/ENOTFOUND|EAI_AGAIN/);
    const failed = await run(`module.exports = async ({ site }) => { await fetch(site); throw new Error('mine'); };`);
    expect(failed.finish.error_stack).toContain('mine');
    expect(uses().reduce((sum, { connections }) => sum + connections, 0)).toBe(3);
    expect(asked()).toHaveLength(3);
  });

  test.each(BROWSERS)('Chromium of %s connects through the pool, with passwords', async (_library, launch) => {
    urls = [...urls.slice(1), encryptedUrl];
    const { finish, output } = await run(
      `
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      module.exports = async ({ site, secureSite }) => {
        ${launch}
        const titles = [];
        for (const url of [site, secureSite, site, secureSite].map((base, n) => base + '/' + n)) {
          const page = await open();
          await page.goto(url);
          titles.push(await page.title());
        }
        await browser.close();
        return titles;
      };`,
      { proxy: 'mine', environment: 'browser', lock },
    );
    expect(finish.error_stack).toBeNull();
    expect(output).toEqual(['/0', '/1', '/2', '/3']);
    expect(new Set(asked())).toEqual(new Set([`shop.test:${portOf(plain)}`, `shop.test:${portOf(secure)}`]));
  });

  // With the other filter, a run has only its loopback network, from which WebRTC gathers no addresses.
  if (kind === 'namespaces') {
    test.each(BROWSERS)('WebRTC in Chromium of %s sends no UDP', async (_library, launch) => {
      const { finish, output } = await run(
        `
        const gather = async url => {
          const connection = new RTCPeerConnection({ iceServers: [{ urls: url }] });
          connection.createDataChannel('data');
          await connection.setLocalDescription(await connection.createOffer());
          await new Promise(resolve => {
            connection.onicegatheringstatechange = () => connection.iceGatheringState === 'complete' && resolve();
            connection.onicegatheringstatechange();
          });
          return connection.localDescription.sdp.includes('a=candidate');
        };
        module.exports = async ({ site }) => {
          ${launch}
          let packets = 0;
          const stun = require('node:dgram').createSocket('udp4').on('message', () => { packets += 1; });
          await new Promise(resolve => stun.bind(0, '127.0.0.1', resolve));
          const page = await open();
          await page.goto(site);
          const hasCandidates = await page.evaluate(gather, 'stun:127.0.0.1:' + stun.address().port);
          stun.close();
          await browser.close();
          return { packets, hasCandidates };
        };`,
        { proxy: 'mine', environment: 'browser', lock },
      );
      expect(finish.error_stack).toBeNull();
      expect(output).toEqual({ packets: 0, hasCandidates: false });
    });
  }
});
