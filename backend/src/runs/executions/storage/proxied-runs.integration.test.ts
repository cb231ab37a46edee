import { randomUUID } from 'node:crypto';
import type { ProxyMethod } from '@trawl/contracts';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, type TestWorker } from '../../../../test/test-worker.js';
import { SecretBox } from '../../../platform/common/secret-box.service.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);

const setPool = (proxy: string | null) => developer('PUT', `/joint-api/skripts/${fleet.skriptId}`, { proxy });

async function addPool(name: string, pricePerGb: number | null): Promise<string> {
  const [pool, proxy] = [randomUUID(), randomUUID()];
  await app.sql(
    `INSERT INTO proxy_pools (id, owner_id, name, price_per_gb)
     SELECT $1, id, $2, $3 FROM users WHERE username = 'developer'`,
    [pool, name, pricePerGb],
  );
  const sealed = app.part(SecretBox).seal('socks5://ada:rope@gate.example:1080', proxy);
  await app.sql('INSERT INTO proxies (id, pool_id, url_sealed, address) VALUES ($1, $2, $3, $4)', [
    proxy,
    pool,
    sealed,
    'socks5://gate.example:1080',
  ]);
  return proxy;
}

let calls = 0;
async function call(worker: TestWorker, run: { id: string; token: string }, method: ProxyMethod, args: object) {
  calls += 1;
  const op = { method, args: Buffer.from(JSON.stringify(args)), resend: false };
  const { id, token } = run;
  const reply = await worker.send('storage', { id, token, epoch: worker.welcome.epoch, op_id: calls, op });
  return 'error' in reply ? reply.error : JSON.parse(Buffer.from(reply.result).toString());
}

it('a run is offered with the pool of its skript, whether it waited for its worker or not', async () => {
  await setPool('shops');
  const waiting = await fleet.start({ input: 1 });
  const worker = await fleet.connect();
  expect(await worker.offers.next()).toMatchObject({ id: waiting.body.id, proxy: 'shops' });
  await fleet.start({ input: 2 });
  expect((await worker.offers.next()).proxy).toBe('shops');
  await worker.finish(waiting.body.id, {});
  await setPool(null);
  await fleet.start({ input: 3 });
  expect(await worker.offers.next()).not.toHaveProperty('proxy');
});

const proxiesOf = async (run: { id: string }, as = developer, query = '') =>
  (await as('GET', `/joint-api/skript-execution/${run.id}/proxies${query}`)).body;
const useOf = async (run: { id: string }) =>
  (await developer('GET', `/joint-api/skript-execution/${run.id}`)).body.proxy_use;
const healthOf = async (id: string) =>
  (await app.sql('SELECT connections, failures, failures_in_row FROM proxies WHERE id = $1', [id]))[0];

it('a live run takes proxies; an ended run gets none', async () => {
  const proxy = await addPool('priced', 2);
  const worker = await fleet.connect();
  await fleet.start({ input: 1 });
  const run = await worker.offers.next();
  expect(await call(worker, run, 'takeProxies', { pool: 'priced' })).toEqual({
    is_sticky: false,
    proxies: [{ id: proxy, url: 'socks5://ada:rope@gate.example:1080', tier: 1, rest_ms: 0 }],
  });
  await worker.finish(run.id, {});
  expect(await call(worker, run, 'takeProxies', { pool: 'priced' })).toMatchObject({ code: 'run_ended' });
});

it('totals of a run count once per proxy, however often and in which order they arrive', async () => {
  const [priced, free] = [await addPool('shops', 2), await addPool('spare', null)];
  const worker = await fleet.connect();
  await fleet.start({ input: 1 });
  const run = await worker.offers.next();
  expect(await proxiesOf(run)).toMatchObject({ total: 0, items: [] });
  const first = { id: priced, connections: 1, failures: 1, bytes_sent: 1e8, bytes_received: 4e8 };
  const other = { id: free, connections: 2, failures: 0, bytes_sent: 5, bytes_received: 7 };
  const last = { id: priced, connections: 3, failures: 4, bytes_sent: 2e8, bytes_received: 8e8 };
  const report = (...totals: object[]) => call(worker, run, 'reportProxies', { totals });
  // Both deliveries find no row of the run.
  expect(await Promise.all([1, 2, 3].map(() => report(first, other)))).toEqual(Array(3).fill({ rest: [] }));
  expect(await useOf(run)).toEqual({
    connections: 3,
    failures: 1,
    bytes_sent: 100_000_005,
    bytes_received: 400_000_007,
    cost: 1,
  });
  await Promise.all([report(last), report(last), report(last)]);
  // A late delivery of the first report takes nothing away.
  await report(first);
  const used = { ...last, pool: 'shops', address: 'socks5://gate.example:1080', cost: 2 };
  const list = await proxiesOf(run);
  expect(list).toMatchObject({ total: 2, items: [used, { ...other, pool: 'spare', cost: null }] });
  expect(JSON.stringify(list)).not.toMatch(/rope|ada/);
  expect((await proxiesOf(run, developer, '?sort=bytes_received&limit=1')).items).toMatchObject([{ id: free }]);
  expect(await useOf(run)).toEqual({
    connections: 5,
    failures: 4,
    bytes_sent: 200_000_005,
    bytes_received: 800_000_007,
    cost: 2,
  });
  expect(await healthOf(priced)).toEqual({ connections: '3', failures: '4', failures_in_row: 0 });
  const { body: runs } = await developer('GET', '/joint-api/skript-execution/list?limit=1');
  expect(runs.items[0]).not.toHaveProperty('proxy_use');
});

it('two runs count apart in the totals of a proxy, which stay when a run is deleted', async () => {
  const proxy = await addPool('shared', null);
  const worker = await fleet.connect();
  const runs: { id: string; token: string }[] = [];
  for (const input of [1, 2]) {
    await fleet.start({ input });
    runs.push(await worker.offers.next());
  }
  const [one, two] = runs as [(typeof runs)[0], (typeof runs)[0]];
  const totals = [{ id: proxy, connections: 5, failures: 1, bytes_sent: 10, bytes_received: 20 }];
  await Promise.all(runs.map(run => call(worker, run, 'reportProxies', { totals })));
  expect(await healthOf(proxy)).toMatchObject({ connections: '10', failures: '2' });
  const { total } = await proxiesOf(one);
  expect(total).toBe(1);
  await worker.finish(one.id, {});
  await developer('DELETE', `/joint-api/skript-execution/${one.id}`);
  expect(await app.sql('SELECT execution_id FROM execution_proxies WHERE id = $1', [proxy])).toEqual([
    { execution_id: two.id },
  ]);
  await app.sql('DELETE FROM proxies WHERE id = $1', [proxy]);
  expect(await proxiesOf(two)).toMatchObject({ items: [{ id: proxy, pool: 'shared', connections: 5 }] });
  await worker.finish(two.id, {});
});
