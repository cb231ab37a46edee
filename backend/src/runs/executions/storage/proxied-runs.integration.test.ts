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

it('a live run takes proxies and reports their use, repeated reports count once; an ended run gets none', async () => {
  const proxy = await addPool('priced', 2);
  const worker = await fleet.connect();
  await fleet.start({ input: 1 });
  const run = await worker.offers.next();
  expect(await call(worker, run, 'takeProxies', { pool: 'priced' })).toEqual({
    is_sticky: false,
    proxies: [{ id: proxy, url: 'socks5://ada:rope@gate.example:1080', tier: 1, rest_ms: 0 }],
  });
  const free = await addPool('free', null);
  const use = { connections: 1, failures: 1, bytes_sent: 1e8, bytes_received: 4e8 };
  for (const id of [proxy, free, proxy]) {
    expect(await call(worker, run, 'reportProxies', { uses: [{ id, ...use }] })).toEqual({ rest: [] });
  }
  const { body } = await developer('GET', `/joint-api/skript-execution/${run.id}`);
  expect(body.proxy_use).toEqual({ connections: 3, failures: 3, bytes_sent: 3e8, bytes_received: 1.2e9, cost: 2 });
  const numbered = { uses: [{ id: proxy, ...use, failures: 3 }], report: 2 };
  const answers = await Promise.all([1, 2, 3].map(() => call(worker, run, 'reportProxies', numbered)));
  expect(answers.map(({ rest }) => rest)).toEqual([[], [], []]);
  await call(worker, run, 'reportProxies', { ...numbered, report: 1 });
  const { body: counted } = await developer('GET', `/joint-api/skript-execution/${run.id}`);
  expect(counted.proxy_use).toEqual({ connections: 4, failures: 6, bytes_sent: 4e8, bytes_received: 1.6e9, cost: 3 });
  const [health] = await app.sql('SELECT connections, failures FROM proxies WHERE id = $1', [proxy]);
  expect(health).toEqual({ connections: '3', failures: '5' });
  const { body: list } = await developer('GET', '/joint-api/skript-execution/list?limit=1');
  expect(list.items[0]).not.toHaveProperty('proxy_use');
  await worker.finish(run.id, {});
  expect(await call(worker, run, 'takeProxies', { pool: 'priced' })).toMatchObject({ code: 'run_ended' });
});
