import { randomUUID } from 'node:crypto';
import type { DomainSlots, PoliteMethod, StorageAnswer } from '@trawl/contracts';
import { appForFile } from '../../../test/test-app.js';
import { PoliteCalls } from './polite-calls.service.js';
import { PoliteDomainsRepository } from './polite-domains.repository.js';

const { app } = appForFile();
const RUN = randomUUID();
let ownerId: string;
let otherId: string;

beforeEach(async () => {
  await app.sql('DELETE FROM polite_domains');
  const ids = await app.sql<{ id: string }>(
    `SELECT id FROM users WHERE username IN ('developer', 'admin') ORDER BY username DESC`,
  );
  [ownerId = '', otherId = ''] = ids.map(({ id }) => id);
});

const send = (method: PoliteMethod, args: unknown, owner = ownerId): Promise<StorageAnswer> =>
  app.part(PoliteCalls).run(owner, RUN, { method, args: Buffer.from(JSON.stringify(args)), resend: false });

async function result(method: PoliteMethod, args: unknown, owner = ownerId) {
  const answer = await send(method, args, owner);
  if ('error' in answer) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return JSON.parse(Buffer.from(answer.result).toString());
}

const reserve = async (domains: [string, number, boolean?][], owner = ownerId): Promise<DomainSlots[]> =>
  (await result('reserveSlots', { domains: domains.map(([name, n, ok = false]) => [name, n, ok]) }, owner)).slots;
const one = async (name: string, wanted: number, ok = false): Promise<DomainSlots> =>
  (await reserve([[name, wanted, ok]]))[0] as DomainSlots;
const close = async (name: string, retry_after_ms: number | null): Promise<number> =>
  (await result('closeDomain', { domain: name, retry_after_ms })).closed_ms;
const open = (name: string) => app.sql('UPDATE polite_domains SET closed_until = now() WHERE domain = $1', [name]);

test('runs get a burst, then a slot for each interval, and never the same slot twice', async () => {
  const first = await one('shop.example', 3);
  expect(first).toMatchObject({ domain: 'shop.example', granted: 3, interval_ms: 200, wait_ms: 0, is_closed: false });
  // All three may go at once.
  expect(first.start_ms + 2 * first.interval_ms).toBeLessThanOrEqual(0);
  await Promise.all(Array.from({ length: 10 }, () => one('shop.example', 1)));
  const greedy = await one('shop.example', 10_000);
  expect(greedy.granted).toBe(5);
  const [{ ahead }] = (await app.sql<{ ahead: number }>(
    `SELECT (extract(epoch FROM tat - created_at) * 5)::float AS ahead FROM polite_domains`,
  )) as [{ ahead: number }];
  // 3 + 10 + 5 slots, and the time in which the budget was unused.
  expect(ahead).toBeGreaterThanOrEqual(18);
});

test('a domain has its own settings, else those of the account', async () => {
  await app.sql(
    `INSERT INTO polite_domains (owner_id, domain, requests_per_second, burst) VALUES ($1, '*', 2, 1), ($1, 'slow.example', 0.1, 1)`,
    [ownerId],
  );
  const slots = await reserve([
    ['other.example', 10],
    ['slow.example', 10],
  ]);
  expect(slots.map(({ domain, granted, interval_ms }) => [domain, granted, interval_ms])).toEqual([
    ['other.example', 1, 500],
    ['slow.example', 1, 10_000],
  ]);
  const [{ granted, interval_ms } = {} as DomainSlots] = await reserve([['slow.example', 10]], otherId);
  expect([granted, interval_ms]).toEqual([5, 200]);
});

test('a closed domain grants nothing, closes for twice the time, and a success begins anew', async () => {
  expect(await close('shop.example', null)).toBe(5_000);
  // A second answer of the same moment does not double the time.
  await close('shop.example', null);
  const refused = await one('shop.example', 1, true);
  expect(refused).toMatchObject({ granted: 0, is_closed: true });
  expect(refused.wait_ms).toBeGreaterThan(0);
  await open('shop.example');
  expect(await close('shop.example', null)).toBe(10_000);
  await open('shop.example');
  expect(await one('shop.example', 1, true)).toMatchObject({ granted: 1, is_closed: false });
  expect(await close('shop.example', 7_000)).toBe(7_000);
  expect(await one('shop.example', 1)).toMatchObject({ granted: 0 });
  expect((await reserve([['shop.example', 1]], otherId))[0]).toMatchObject({ granted: 1 });
});

test('a site cannot close itself for longer than an hour', async () => {
  expect(await close('shop.example', 10 * 365 * 86_400_000)).toBe(3_600_000);
  for (let closing = 0; closing < 40; closing += 1) {
    await open('shop.example');
    expect(await close('shop.example', null)).toBeLessThanOrEqual(3_600_000);
  }
});

test('a run cannot reserve the future: beyond a minute it is told when to ask again', async () => {
  await app.sql(
    `INSERT INTO polite_domains (owner_id, domain, requests_per_second, burst) VALUES ($1, 'a.example', 0.01, 1)`,
    [ownerId],
  );
  expect(await one('a.example', 1)).toMatchObject({ granted: 1 });
  const later = await one('a.example', 1);
  expect(later).toMatchObject({ granted: 0, is_closed: false });
  expect(later.wait_ms).toBeGreaterThan(30_000);
});

test('runs that reserve many domains in different orders do not block each other', async () => {
  const names = Array.from({ length: 100 }, (_, n) => `h${n}.example`);
  const orders = [names, [...names].reverse()];
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, n) => reserve((orders[n % 2] as string[]).map(name => [name, 1]))),
  );
  expect(all.flat().every(({ granted }) => granted === 1)).toBe(true);
});

test('arguments that no honest run sends are refused clearly', async () => {
  const refused: [PoliteMethod, unknown][] = [
    ['reserveSlots', { domains: [['x'.repeat(1_000_000), 1, false]] }],
    ['reserveSlots', { domains: [['x'.repeat(300), 1, false]] }],
    ['reserveSlots', { domains: [['a\0b', 1, false]] }],
    ['reserveSlots', { domains: Array.from({ length: 101 }, (_, n) => [`h${n}.example`, 1, false]) }],
    ['reserveSlots', { domains: [['a.example', -1, false]] }],
    ['reserveSlots', { domains: [['a.example', 1, false, -1]] }],
    ['reserveSlots', { domains: [['a.example', 1, false, 1e9]] }],
    ['reserveSlots', { domains: [['a.example', 1e9, false]] }],
    ['reserveSlots', null],
    ['closeDomain', { domain: 'a.example', retry_after_ms: -1 }],
    ['closeDomain', { domain: '', retry_after_ms: 1 }],
  ];
  for (const [method, args] of refused) {
    const answer = await send(method, args);
    expect('error' in answer && answer.error.code).toMatch(/^storage_(?:rejected|too_large)$/);
  }
  expect(await one('__proto__', 1)).toMatchObject({ domain: '__proto__', granted: 1 });
  expect(await app.sql('SELECT domain FROM polite_domains')).toEqual([{ domain: '__proto__' }]);
});

test('idle domains are deleted, those with settings, debts or a closing are kept', async () => {
  await app.sql(
    `INSERT INTO polite_domains (owner_id, domain, requests_per_second, burst, tat, closed_until) VALUES
       ($1, 'idle', NULL, NULL, now() - interval '1 s', NULL), ($1, 'set', 1, 1, now() - interval '1 s', NULL),
       ($1, 'busy', NULL, NULL, now() + interval '1 h', NULL),
       ($1, 'closed', NULL, NULL, now(), now() - interval '1 minute'),
       ($1, 'long open', NULL, NULL, now(), now() - interval '2 h')`,
    [ownerId],
  );
  expect(await app.part(PoliteDomainsRepository).sweep(ownerId)).toBe(3);
  const left = await app.sql<{ domain: string }>('SELECT domain FROM polite_domains ORDER BY domain');
  expect(left.map(({ domain }) => domain)).toEqual(['busy', 'closed', 'set']);
});

test('an account that keeps too many domains busy gets an error', async () => {
  await app.sql(
    `INSERT INTO polite_domains (owner_id, domain, tat) SELECT $1, 'h' || n, now() + interval '1 h' FROM generate_series(1, 20000) n`,
    [ownerId],
  );
  const names = Array.from({ length: 100 }, (_, n) => [`n${n}`, 1, false]);
  let answer: StorageAnswer = await send('reserveSlots', { domains: names });
  for (let batch = 1; batch <= 100 && !('error' in answer); batch += 1) {
    answer = await send('reserveSlots', { domains: names.map(([name, ...rest]) => [`${name}-${batch}`, ...rest]) });
  }
  expect(answer).toMatchObject({ error: { code: 'storage_full' } });
});
