import { randomUUID } from 'node:crypto';
import type { DomainSlots } from '@trawl/contracts';
import { appForFile } from '../../../test/test-app.js';
import { PoliteCalls } from './polite-calls.service.js';
import { PoliteDomainsRepository } from './polite-domains.repository.js';

const { app, developer } = appForFile();
const SHOP = 'shop.example';
let ownerId: string;
let runs: string[];

beforeEach(async () => {
  await app.sql('DELETE FROM polite_domains');
  await app.sql('DELETE FROM polite_places');
  const [user] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
  ownerId = user?.id ?? '';
  runs = [];
  await limit(3);
});
afterEach(() => endRuns(...runs));

const set = (domain: string, settings: object) =>
  developer('PUT', `/joint-api/polite-domains/${encodeURIComponent(domain)}`, settings);
const limit = (max_concurrency: number | null, domain = SHOP) =>
  set(domain, { requests_per_second: 1_000, burst: 1_000, max_concurrency });

async function startRun(): Promise<string> {
  const id = randomUUID();
  await app.sql(
    `INSERT INTO live_runs (execution_id, owner_id, on_any, environment, live_key, forced, time_limit_ms, waiting_reason, waiting_since, payload)
     VALUES ($1, $2, true, 'node', '', true, 1000, 'worker_offline', now(), '')`,
    [id, ownerId],
  );
  runs.push(id);
  return id;
}

const endRuns = (...ids: string[]) => app.sql('DELETE FROM live_runs WHERE execution_id = ANY($1)', [ids]);

/** @param holds left out by a run that knows of no limit */
async function reserve(run: string, wanted: number, holds?: number, domain = SHOP): Promise<DomainSlots> {
  const entry = [domain, wanted, false, ...(holds === undefined ? [] : [holds])];
  const args = Buffer.from(JSON.stringify({ domains: [entry] }));
  const answer = await app.part(PoliteCalls).run(ownerId, run, { method: 'reserveSlots', args, resend: false });
  if ('error' in answer) throw new Error(answer.error.message);
  return JSON.parse(Buffer.from(answer.result).toString()).slots[0];
}

const places = async (): Promise<Record<string, number>> => {
  const rows = await app.sql<{ execution_id: string; places: number }>(
    'SELECT execution_id, places FROM polite_places',
  );
  return Object.fromEntries(rows.map(row => [row.execution_id, row.places]));
};

test('runs together hold no more places than the limit, however many they want', async () => {
  const [one, two] = [await startRun(), await startRun()];
  expect(await reserve(one, 2)).toMatchObject({ granted: 2, wait_ms: 0, is_limited: true });
  expect(await reserve(two, 10_000)).toMatchObject({ granted: 1, wait_ms: 0 });
  expect(await reserve(one, 10_000, 2)).toMatchObject({ granted: 0, wait_ms: 50, is_closed: false });
  expect(await places()).toEqual({ [one]: 2, [two]: 1 });
  expect(await reserve(two, 0, 0)).toMatchObject({ granted: 0, wait_ms: 0 });
  expect(await reserve(one, 10_000, 2)).toMatchObject({ granted: 1 });
  expect(await reserve(one, 0, 0)).toMatchObject({ granted: 0 });
  expect(await places()).toEqual({});
});

test('many runs at the same time never exceed the limit', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, startRun));
  const granted = await Promise.all(ids.map(id => reserve(id, 2)));
  expect(granted.reduce((sum, slots) => sum + slots.granted, 0)).toBe(3);
});

test('the run that waits longest is the next, so one that asks again at once cannot keep all places', async () => {
  await limit(1);
  const [one, two, three] = [await startRun(), await startRun(), await startRun()];
  expect(await reserve(one, 1)).toMatchObject({ granted: 1 });
  expect(await reserve(two, 1)).toMatchObject({ granted: 0, wait_ms: 50 });
  expect(await reserve(three, 1)).toMatchObject({ granted: 0, wait_ms: 100 });
  expect(await reserve(one, 1, 0)).toMatchObject({ granted: 0, wait_ms: 150 });
  expect(await reserve(three, 1, 0)).toMatchObject({ granted: 0, wait_ms: 100 });
  expect(await reserve(two, 1, 0)).toMatchObject({ granted: 1 });
  expect(await reserve(two, 1, 0)).toMatchObject({ granted: 0 });
  expect(await reserve(three, 1, 0)).toMatchObject({ granted: 1 });
  // Runs that have ceased to ask keep nobody waiting.
  await app.sql(`UPDATE polite_places SET asked_at = now() - interval '1 minute'`);
  expect(await reserve(three, 1, 0)).toMatchObject({ granted: 1 });
});

test('a run that ends without giving places back, as after a crash, frees them', async () => {
  const [lost, next] = [await startRun(), await startRun()];
  await reserve(lost, 3);
  expect(await reserve(next, 1)).toMatchObject({ granted: 0 });
  await endRuns(lost);
  expect(await reserve(next, 1, 0)).toMatchObject({ granted: 1 });
  expect(await places()).toEqual({ [next]: 1 });
});

test('a run cannot keep more places than it has got, and a repeated call counts once', async () => {
  const [one, two] = [await startRun(), await startRun()];
  expect(await reserve(one, 0, 10_000)).toMatchObject({ granted: 0 });
  expect(await reserve(one, 2, 10_000)).toMatchObject({ granted: 2 });
  // The answer to this call is lost: the run repeats it.
  expect(await reserve(one, 1, 2)).toMatchObject({ granted: 1 });
  expect(await reserve(one, 1, 2)).toMatchObject({ granted: 1 });
  expect(await places()).toEqual({ [one]: 3 });
  expect(await reserve(two, 1)).toMatchObject({ granted: 0 });
});

test('a lower limit applies to new requests, and no limit to none', async () => {
  const [one, two] = [await startRun(), await startRun()];
  await reserve(one, 3);
  await limit(1);
  expect(await reserve(one, 1, 2)).toMatchObject({ granted: 0 });
  expect(await reserve(two, 1)).toMatchObject({ granted: 0 });
  expect(await reserve(one, 0, 1)).toMatchObject({ granted: 0 });
  expect(await reserve(two, 1, 0)).toMatchObject({ granted: 0 });
  await limit(null);
  expect(await reserve(two, 5, 0)).toMatchObject({ granted: 5, is_limited: false });
  // The request that it still has in progress from before.
  expect(await reserve(one, 5, 1)).toMatchObject({ granted: 5, is_limited: false });
  expect(await places()).toEqual({ [one]: 1 });
  await reserve(one, 0, 0);
  expect(await places()).toEqual({});
});

test('the limit of all domains applies to each of those without settings', async () => {
  await limit(1, '*');
  await limit(null);
  const run = await startRun();
  expect(await reserve(run, 5)).toMatchObject({ granted: 5, is_limited: false });
  for (const domain of ['a.example', 'b.example']) {
    expect(await reserve(run, 5, undefined, domain)).toMatchObject({ granted: 1, is_limited: true });
  }
  expect((await developer('GET', '/joint-api/polite-domains/a.example')).body).toMatchObject({ max_concurrency: 1 });
  expect((await developer('GET', `/joint-api/polite-domains/${SHOP}`)).body).toMatchObject({ max_concurrency: null });
});

test('a domain without a limit has no rows of places', async () => {
  await reserve(await startRun(), 5, undefined, 'other.example');
  expect(await places()).toEqual({});
});

test('a closed domain grants no places, and takes those that come back', async () => {
  const run = await startRun();
  await reserve(run, 2);
  await app.part(PoliteDomainsRepository).close(ownerId, SHOP, 60_000);
  expect(await reserve(run, 1, 1)).toMatchObject({ granted: 0, is_closed: true });
  expect(await places()).toEqual({ [run]: 1 });
});

test('idle domains are kept while a live run has places there, and places of ended runs are deleted', async () => {
  await limit(1, '*');
  const [live, ended] = [await startRun(), await startRun()];
  await reserve(live, 1, undefined, 'live.example');
  await reserve(ended, 1, undefined, 'ended.example');
  await endRuns(ended);
  await app.sql(`UPDATE polite_domains SET tat = now() - interval '2 h'`);
  await app.part(PoliteDomainsRepository).sweepAll();
  expect(await places()).toEqual({ [live]: 1 });
  const left = await app.sql<{ domain: string }>('SELECT domain FROM polite_domains ORDER BY domain');
  expect(left.map(({ domain }) => domain)).toEqual(['*', 'live.example', SHOP]);
});

test('a limit beyond its bounds is refused, and a reset removes it', async () => {
  for (const max_concurrency of [0, -1, 1_001, 1.5, '2']) {
    expect((await set(SHOP, { max_concurrency })).status).toBe(400);
  }
  expect((await set(SHOP, { max_concurrency: 1_000 })).body).toMatchObject({ max_concurrency: 1_000 });
  await developer('DELETE', `/joint-api/polite-domains/${SHOP}`);
  expect((await developer('GET', `/joint-api/polite-domains/${SHOP}`)).body.max_concurrency).toBeNull();
  expect((await set(SHOP, {})).body.max_concurrency).toBeNull();
});
