import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { Platform } from '../harness/platform.js';
import { until } from '../harness/until.js';
import { WorkerProcess } from '../harness/worker-process.js';
import { codeOf } from '../recipes/recipe.js';

const PASSWORD = 'fair-winds-and-7-seas';
const HOST = 'shop.test';

/** Names of the proxies that have passed requests on, by the run that has sent them. */
const seen = new Map<string, Set<string>>();
const servers: Server[] = [];
let site: Server;
/** Answers to requests for `/held`, which the site keeps back while `isHolding`. */
const held: (() => void)[] = [];
let isHolding = false;
let platform: Platform;
let second: WorkerProcess;
const addresses: string[] = [];

const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** Starts a proxy that asks for a password, and takes every name for this computer. */
async function startProxy(): Promise<string> {
  const server = createServer();
  const credentials = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`;
  server.on('connect', (request: IncomingMessage, client: Duplex) => {
    client.on('error', () => {});
    if (request.headers['proxy-authorization'] !== credentials) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const target = connect({ port: portOf(site), host: '127.0.0.1' }, () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.destroy());
    client.on('close', () => target.destroy());
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `127.0.0.1:${portOf(server)}`;
}

beforeAll(async () => {
  site = createServer((request, response) => {
    const run = String(request.headers['x-run']);
    seen.set(run, (seen.get(run) ?? new Set()).add(String(request.socket.remotePort)));
    const answer = () => response.end('<title>The shop</title>');
    if (request.url === '/held' && isHolding) held.push(answer);
    else answer();
  }).listen(0, '127.0.0.1');
  servers.push(site);
  await once(site, 'listening');
  for (let n = 0; n < 4; n += 1) addresses.push(await startProxy());
  const dead = createServer().listen(0, '127.0.0.1');
  await once(dead, 'listening');
  addresses.push(`127.0.0.1:${portOf(dead)}`);
  dead.close();
  platform = await Platform.start({ mayReach: addresses.map(address => `http://${address}`) });
  const admin = await platform.as('admin');
  const env = { TRAWL_URL: platform.url, TRAWL_EGRESS_ALLOW: addresses.join() };
  second = await WorkerProcess.start(admin, { name: 'second', public: true }, env);
  const developer = await platform.as('developer');
  const { body: pool } = await developer('POST', '/joint-api/proxy-pools/addnew', { name: 'shops', price_per_gb: 3 });
  const lines = addresses.map(address => `http://ada:${PASSWORD}@${address} country=de`).join('\n');
  await developer('POST', `/joint-api/proxy-pools/${pool.id}/proxies/addnew`, { lines });
});
afterAll(async () => {
  await second?.close();
  await platform?.close();
  for (const server of servers) server.close();
});

const READS = `module.exports = async ({ base_url, run }) => {
  for (let n = 0; n < 20; n += 1) {
    const response = await fetch(base_url, { headers: { 'x-run': run, connection: 'close' } });
    if (!(await response.text()).includes('The shop')) throw new Error('not the shop');
  }
};`;

it('runs on two workers use a pool of the account, and their uses are counted for each proxy', async () => {
  const developer = await platform.as('developer');
  const skript = await platform.skript('through a pool', { 'main.js': READS }, { proxy: 'shops' });
  const base_url = `http://${HOST}:${portOf(site)}`;
  const ids: string[] = [];
  for (const { id } of [platform.worker, second]) {
    platform.workerId = id;
    ids.push(await platform.begin(skript, { base_url, run: id }));
  }
  for (const id of ids) expect(await platform.ended(id)).toMatchObject({ action: 'end', error_stack: null });
  expect([...seen.values()].map(({ size }) => size)).toEqual([20, 20]);
  const { body: pools } = await developer('GET', '/joint-api/proxy-pools/list');
  const [pool] = pools.items;
  expect(pool).toMatchObject({ name: 'shops', connections: 40 });
  const { body: proxies } = await developer('GET', `/joint-api/proxy-pools/${pool.id}/proxies/list`);
  const counts = proxies.items.map(({ connections }: { connections: number }) => connections);
  expect(counts.filter((count: number) => count > 0)).toHaveLength(4);
  expect(JSON.stringify(proxies)).not.toContain(PASSWORD);
  for (const id of ids) expect(await connectionsOf(id)).toBe(20);
});

/** Returns how many connections the run has had through all its proxies. */
async function connectionsOf(run: string): Promise<number> {
  const developer = await platform.as('developer');
  const { body } = await developer('GET', `/joint-api/skript-execution/${run}/proxies`);
  expect(JSON.stringify(body)).not.toContain(PASSWORD);
  return sumOf(body.items);
}

const sumOf = (proxies: { connections: number }[]) => proxies.reduce((sum, { connections }) => sum + connections, 0);

/** Returns how many connections all runs have had through the pool. */
async function connectionsOfPool(): Promise<number> {
  const developer = await platform.as('developer');
  return sumOf((await developer('GET', '/joint-api/proxy-pools/list')).body.items);
}

/** Reads ten pages, one that the site may hold, then ten more. */
const READS_HELD = `module.exports = async ({ base_url, run }) => {
  const paths = [...Array(10).fill('/'), '/held', ...Array(10).fill('/')];
  for (const path of paths) {
    const response = await fetch(base_url + path, { headers: { 'x-run': run, connection: 'close' } });
    await response.text();
  }
};`;

it.each(['backend', 'worker'] as const)(
  'a %s that is killed while a run uses proxies neither loses figures nor counts them twice',
  async victim => {
    const developer = await platform.as('developer');
    // A worker without platform ends runs that have retries left, and a busy machine needs long to start a backend.
    const retries = victim === 'worker' ? 1 : 0;
    const skript = await platform.skript(`kill ${victim}`, { 'main.js': READS_HELD }, { proxy: 'shops', retries });
    platform.workerId = platform.worker.id;
    const before = await connectionsOfPool();
    isHolding = true;
    const id = await platform.begin(skript, { base_url: `http://${HOST}:${portOf(site)}`, run: victim });
    await until(async () => held.length === 1 && (await connectionsOf(id)) === 11, 'a report of eleven connections');
    await platform[victim].kill('SIGKILL');
    isHolding = false;
    if (victim === 'backend') await platform.startBackend();
    else await platform.worker.start();
    for (const answer of held.splice(0)) answer();
    const first = await platform.ended(id);
    if (victim === 'backend') {
      expect(first).toMatchObject({ action: 'end', error_stack: null });
      expect([await connectionsOf(id), (await connectionsOfPool()) - before]).toEqual([21, 21]);
      return;
    }
    const retry = await until(async () => {
      const { body } = await developer('GET', `/joint-api/skript-execution/list?retry_of=${id}`);
      return body.items[0]?.id;
    }, 'a retry of the run');
    expect(await platform.ended(retry)).toMatchObject({ action: 'end' });
    expect([await connectionsOf(id), await connectionsOf(retry)]).toEqual([11, 21]);
    expect((await connectionsOfPool()) - before).toBe(32);
  },
);

it('the recipe for a pool runs as its page shows it', async () => {
  const { name, code } = codeOf('proxies', 'main.js');
  const skript = await platform.skript('recipe', { [name]: code });
  const id = await platform.begin(skript, { base_url: `http://${HOST}:${portOf(site)}` });
  expect(await platform.ended(id)).toMatchObject({ action: 'end', output: 'The shop' });
});
