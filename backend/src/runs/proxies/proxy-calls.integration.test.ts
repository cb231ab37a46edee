import { randomUUID } from 'node:crypto';
import type { ProxyMethod, ProxyUse, StorageAnswer, TakenProxies } from '@trawl/contracts';
import { v7 as uuidv7 } from 'uuid';
import { appForFile } from '../../../test/test-app.js';
import { SecretBox } from '../../platform/common/secret-box.service.js';
import { ProxyCalls } from './proxy-calls.service.js';

const { app } = appForFile();
let ownerId: string;
let otherId: string;

beforeEach(async () => {
  await app.sql('DELETE FROM proxy_pools');
  const ids = await app.sql<{ id: string }>(
    `SELECT id FROM users WHERE username IN ('developer', 'admin') ORDER BY username DESC`,
  );
  [ownerId = '', otherId = ''] = ids.map(({ id }) => id);
});

const send = (method: ProxyMethod, args: unknown, owner = ownerId, run = uuidv7()): Promise<StorageAnswer> =>
  app.part(ProxyCalls).run(owner, run, { method, args: Buffer.from(JSON.stringify(args)), resend: false });

async function result(method: ProxyMethod, args: unknown, owner = ownerId) {
  const answer = await send(method, args, owner);
  if ('error' in answer) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return JSON.parse(Buffer.from(answer.result).toString());
}
const take = (args: object, owner = ownerId): Promise<TakenProxies> => result('takeProxies', args, owner);
/** Reports the use of a new run. */
const report = async (...uses: Partial<ProxyUse>[]): Promise<{ id: string; rest_ms: number }[]> =>
  (await result('reportProxies', { totals: uses.map(use => ({ ...NO_USE, ...use })) })).rest;
const NO_USE = { connections: 0, failures: 0, bytes_sent: 0, bytes_received: 0 };

async function addPool(name: string, proxies: { country?: string; tier?: number }[], owner = ownerId) {
  const poolId = randomUUID();
  await app.sql('INSERT INTO proxy_pools (id, owner_id, name, is_sticky) VALUES ($1, $2, $3, $4)', [
    poolId,
    owner,
    name,
    name === 'sticky',
  ]);
  const ids = proxies.map(() => randomUUID());
  for (const [n, { country = null, tier = 1 }] of proxies.entries()) {
    const sealed = app.part(SecretBox).seal(`http://ada:rope@p${n}.example:8080`, ids[n] as string);
    await app.sql(
      'INSERT INTO proxies (id, pool_id, url_sealed, address, country, tier) VALUES ($1, $2, $3, $4, $5, $6)',
      [ids[n], poolId, sealed, `http://p${n}.example:8080`, country, tier],
    );
  }
  return { poolId, ids };
}

const rowOf = async (id: string) =>
  (await app.sql<Record<string, unknown>>('SELECT * FROM proxies WHERE id = $1', [id]))[0];
const endRest = (id: string) => app.sql('UPDATE proxies SET rests_until = now() WHERE id = $1', [id]);

test('a run gets the proxies of a pool with their passwords, lower tiers first, resting ones last', async () => {
  const { ids } = await addPool('shops', [{ tier: 2 }, { tier: 1 }, { tier: 1, country: 'de' }]);
  await app.sql(`UPDATE proxies SET rests_until = now() + interval '1 h' WHERE id = $1`, [ids[1]]);
  const taken = await take({ pool: 'shops' });
  expect(taken.is_sticky).toBe(false);
  expect(taken.proxies.map(({ id }) => id)).toEqual([ids[2], ids[1], ids[0]]);
  expect(taken.proxies[0]).toEqual({ id: ids[2], url: 'http://ada:rope@p2.example:8080', tier: 1, rest_ms: 0 });
  expect(taken.proxies[1]?.rest_ms).toBeGreaterThan(3_500_000);
  expect((await take({ pool: 'shops', country: 'de' })).proxies.map(({ id }) => id)).toEqual([ids[2]]);
  expect((await take({ pool: 'shops', tier: 2 })).proxies.map(({ id }) => id)).toEqual([ids[0]]);
  await addPool('sticky', [{}]);
  expect((await take({ pool: 'sticky' })).is_sticky).toBe(true);
});

test('a run gets no proxy with a scheme or port that the platform refuses today', async () => {
  const { ids } = await addPool('old', [{}, { country: 'de' }, { country: 'us' }]);
  const setAddress = (id = '', address: string) =>
    app.sql('UPDATE proxies SET address = $2 WHERE id = $1', [id, address]);
  await setAddress(ids[1], 'socks4://p1.example:1080');
  await setAddress(ids[2], 'http://p2.example:0');
  expect((await take({ pool: 'old' })).proxies.map(({ id }) => id)).toEqual([ids[0]]);
  await expect(take({ pool: 'old', country: 'de' })).rejects.toThrow('It has: no country (tier 1).');
  await setAddress(ids[0], 'javascript://p0.example:80');
  await expect(take({ pool: 'old' })).rejects.toThrow('has no proxy that runs can use.');
});

test('an unknown pool, an empty one, and one without a fitting proxy are told with what there is', async () => {
  await addPool('shops', [{ country: 'de', tier: 2 }, { country: 'de' }, {}]);
  await addPool('empty', []);
  await addPool('theirs', [{}], otherId);
  await expect(take({ pool: 'theirs' })).rejects.toThrow(
    'storage_rejected: Your account has no pool of proxies "theirs". Your account has "empty", "shops".',
  );
  await expect(take({ pool: 'empty' })).rejects.toThrow(
    'The pool of proxies "empty" has no proxy that runs can use. Add',
  );
  await expect(take({ pool: 'shops', country: 'fr', tier: 3 })).rejects.toThrow(
    'has no proxy of the country "fr" and of tier 3. It has: de (tier 1, 2); no country (tier 1).',
  );
});

test('a proxy that fails three times in a row rests, longer each time, until it succeeds', async () => {
  const { ids } = await addPool('shops', [{}, {}]);
  const [id = '', other = ''] = ids;
  expect(await report({ id, failures: 2 }, { id: other, failures: 2 })).toEqual([]);
  expect(await report({ id, failures: 1 }, { id: other, connections: 1, failures: 5 })).toEqual([
    { id, rest_ms: 30_000 },
  ]);
  // Connections that began before the rest do not lengthen it.
  await report({ id, failures: 5 });
  expect(await rowOf(id)).toMatchObject({ rests: 1 });
  await endRest(id);
  expect(await report({ id, failures: 1 })).toEqual([{ id, rest_ms: 60_000 }]);
  for (let n = 0; n < 40; n += 1) {
    await endRest(id);
    await report({ id, failures: 1 });
  }
  await endRest(id);
  expect(await report({ id, failures: 1 })).toEqual([{ id, rest_ms: 3_600_000 }]);
  expect(await report({ id, connections: 1 })).toEqual([]);
  expect(await rowOf(id)).toMatchObject({ failures_in_row: 0, rests: 0, rests_until: null });
});

test('uses are counted per proxy, for proxies of the account only', async () => {
  const mine = await addPool('shops', [{}]);
  const theirs = await addPool('shops', [{}], otherId);
  const id = mine.ids[0] as string;
  const use = { id, connections: 2, failures: 1, bytes_sent: 10, bytes_received: 1e12 };
  await report(use, { ...use, id: theirs.ids[0] as string }, { ...use, id: randomUUID() });
  expect(await rowOf(id)).toMatchObject({
    connections: '2',
    failures: '1',
    bytes_sent: '10',
    bytes_received: '1000000000000',
  });
  expect(await rowOf(theirs.ids[0] as string)).toMatchObject({ connections: '0', last_used_at: null });
});

test('reports of many runs in different orders do not block each other, and none is lost', async () => {
  const { ids } = await addPool('shops', Array(30).fill({}));
  const orders = [ids, [...ids].reverse()];
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => report(...(orders[n % 2] as string[]).map(id => ({ id, connections: 1 })))),
  );
  const counts = await app.sql<{ connections: string }>('SELECT DISTINCT connections FROM proxies');
  expect(counts).toEqual([{ connections: '20' }]);
});

test('arguments that no honest run sends are refused clearly', async () => {
  const id = randomUUID();
  const refused: [ProxyMethod, unknown][] = [
    ['takeProxies', { pool: 'x'.repeat(1_000_000) }],
    ['takeProxies', { pool: 'a b' }],
    ['takeProxies', { pool: 'shops', country: 'Germany' }],
    ['takeProxies', { pool: 'shops', tier: 1.5 }],
    ['takeProxies', null],
    ['reportProxies', { totals: [{ ...NO_USE, id, bytes_sent: -1 }] }],
    ['reportProxies', { totals: [{ ...NO_USE, id, bytes_sent: 1e300 }] }],
    ['reportProxies', { totals: [{ ...NO_USE, id: 'x' }] }],
    ['reportProxies', { totals: Array(1_001).fill({ ...NO_USE, id }) }],
  ];
  for (const [method, args] of refused) {
    const answer = await send(method, args);
    expect('error' in answer && answer.error.code).toMatch(/^storage_(?:rejected|too_large)$/);
  }
  await addPool('constructor', [{}]);
  expect((await take({ pool: 'constructor' })).proxies).toHaveLength(1);
  await expect(take({ pool: '__proto__' })).rejects.toThrow('pool: must be');
  expect(await report()).toEqual([]);
});
