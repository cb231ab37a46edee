import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { Platform } from '../harness/platform.js';
import { WorkerProcess } from '../harness/worker-process.js';
import { codeOf } from '../recipes/recipe.js';

const PASSWORD = 'fair-winds-and-7-seas';
const HOST = 'shop.test';

/** Names of the proxies that have passed requests on, by the run that has sent them. */
const seen = new Map<string, Set<string>>();
const servers: Server[] = [];
let site: Server;
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
    response.end('<title>The shop</title>');
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
});

it('the recipe for a pool runs as its page shows it', async () => {
  const { name, code } = codeOf('proxies', 'main.js');
  const skript = await platform.skript('recipe', { [name]: code });
  const id = await platform.begin(skript, { base_url: `http://${HOST}:${portOf(site)}` });
  expect(await platform.ended(id)).toMatchObject({ action: 'end', output: 'The shop' });
});
