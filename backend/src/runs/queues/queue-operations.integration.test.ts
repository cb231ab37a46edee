import { randomUUID } from 'node:crypto';
import type { QueueMethod, StorageAnswer } from '@trawl/contracts';
import { Binary, deserialize, serialize } from 'bson';
import { queue } from '../../../../packages/storage/src/index.js';
import { describeQueues } from '../../../../packages/storage/test/queue-contract.js';
import { startTestApp, type TestApp } from '../../../test/test-app.js';
import { StorageUsageService } from '../../data/storage/usage/storage-usage.service.js';
import { QueueOperationsService } from './queue-operations.service.js';
import { QueuesRepository } from './queues.repository.js';
import { QueuesService } from './queues.service.js';

const PORT = Symbol.for('trawl.storage');
const globals = globalThis as Record<symbol, unknown> & { trawl?: unknown };

let app: TestApp;
let ownerId: string;
let operations: QueueOperationsService;

beforeAll(async () => {
  app = await startTestApp();
  const [user] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
  ownerId = user?.id ?? '';
  operations = app.part(QueueOperationsService);
});
afterAll(async () => {
  delete globals[PORT];
  delete globals.trawl;
  await app.close();
});

/** Starts a run, and has the library call as that run. */
async function startRun(): Promise<string> {
  const id = randomUUID();
  await app.sql(
    `INSERT INTO live_runs (execution_id, owner_id, on_any, environment, live_key, forced, time_limit_ms, waiting_reason, waiting_since, payload)
     VALUES ($1, $2, true, 'node', '', true, 1000, 'worker_offline', now(), '')`,
    [id, ownerId],
  );
  actAs(id);
  return id;
}

function actAs(id: string): void {
  globals.trawl = { execution_id: id };
  globals[PORT] = (request: { collection: string; method: QueueMethod; args: Uint8Array }) =>
    operations.run(ownerId, id, { ...request, resend: false });
}

const endRun = (id: string) => app.sql('DELETE FROM live_runs WHERE execution_id = $1', [id]);

const send = (run: string, name: string, method: QueueMethod, args: object): Promise<StorageAnswer> =>
  operations.run(ownerId, run, { collection: name, method, args: serialize(args), resend: false });

async function result(run: string, name: string, method: QueueMethod, args: object): Promise<any> {
  const answer = await send(run, name, method, args);
  if ('error' in answer) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return deserialize(answer.result);
}

const idsOf = (taken: { requests: { id: string }[] }): string[] => taken.requests.map(({ id }) => id).sort();
const binary = (ids: string[]): Binary => new Binary(Buffer.from(ids.join('').replaceAll('-', ''), 'hex'));
const settlement = (ids: string[], take: number, outcome: string) => ({
  fingerprints: binary(ids),
  takes: ids.map(() => take),
  outcomes: outcome.repeat(ids.length),
  delays: ids.map(() => 0),
  errors: ids.map(() => null),
});
const pages = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => `https://shop.example/${from + n}`);

const countsOf = async (name: string) => {
  const [row] = await app.sql<any>(
    `SELECT waiting::int, delayed::int, leased::int, done::int, failed::int, bytes::int FROM queues WHERE name = $1`,
    [name],
  );
  return row;
};

/** Checks that the counts of a queue and its hosts are those of its rows. */
async function checkCounts(name: string): Promise<void> {
  const rows = await app.sql<any>(
    `SELECT q.waiting - count(*) FILTER (WHERE state = 'w') AS w, q.delayed - count(*) FILTER (WHERE state = 'd') AS d,
       q.leased - count(*) FILTER (WHERE state = 'l') AS l, q.done - count(*) FILTER (WHERE state = 'x') AS x,
       q.failed - count(*) FILTER (WHERE state = 'f') AS f,
       q.bytes - coalesce(sum(200 + octet_length(url) + coalesce(octet_length(data), 0) + coalesce(octet_length(error), 0)), 0)
         - (SELECT coalesce(sum(200 + octet_length(h.name)), 0) FROM queue_hosts h WHERE h.queue = q.key) AS bytes,
       q.waiting - (SELECT coalesce(sum(waiting), 0) FROM queue_hosts h WHERE h.queue = q.key) AS hw,
       q.delayed - (SELECT coalesce(sum(delayed), 0) FROM queue_hosts h WHERE h.queue = q.key) AS hd,
       q.leased - (SELECT coalesce(sum(leased), 0) FROM queue_hosts h WHERE h.queue = q.key) AS hl,
       q.done - (SELECT coalesce(sum(done), 0) FROM queue_hosts h WHERE h.queue = q.key) AS hx,
       q.failed - (SELECT coalesce(sum(failed), 0) FROM queue_hosts h WHERE h.queue = q.key) AS hf,
       q.leased - (SELECT coalesce(sum(leased), 0) FROM queue_takers t WHERE t.queue = q.key) AS tl
     FROM queues q LEFT JOIN queue_requests r ON r.queue = q.key WHERE q.name = $1 AND q.deleted_at IS NULL GROUP BY q.id`,
    [name],
  );
  for (const row of rows) expect(new Set(Object.values(row).map(Number))).toEqual(new Set([0]));
}

describe('queues of the platform', () => {
  beforeEach(() => startRun());
  afterEach(async () => {
    for (const { name } of await app.sql<{ name: string }>('SELECT name FROM queues')) await checkCounts(name);
  });

  describeQueues();
});

test('a repeated take gets the same requests, and a repeated settlement changes nothing', async () => {
  const run = await startRun();
  await queue('repeats').add(pages(0, 10));
  const first = await result(run, 'repeats', 'queueTake', { take: 1, count: 3 });
  expect(await result(run, 'repeats', 'queueTake', { take: 1, count: 3 })).toEqual(first);
  const ids = idsOf(first);
  expect(ids).toHaveLength(3);
  await result(run, 'repeats', 'queueSettle', settlement(ids, 1, 'd'));
  await result(run, 'repeats', 'queueSettle', settlement(ids, 1, 'd'));
  const second = await result(run, 'repeats', 'queueTake', { take: 2, count: 3 });
  expect(idsOf(second)).toEqual(ids);
  expect(second.requests[0].retries).toBe(1);
  // The first settlement arrives again, late.
  await result(run, 'repeats', 'queueSettle', settlement(ids, 1, 'x'));
  expect(await countsOf('repeats')).toMatchObject({ waiting: 7, leased: 3, done: 0 });
  await checkCounts('repeats');
});

test('the requests of a run that has ended go to the next one, at once and by themselves', async () => {
  const dead = await startRun();
  await queue('deaths').add(pages(0, 4));
  const taken = await result(dead, 'deaths', 'queueTake', { take: 1, count: 3 });
  await result(dead, 'deaths', 'queueSettle', settlement(idsOf(taken).slice(0, 1), 1, 'x'));
  await endRun(dead);
  const next = await startRun();
  // The backend may have given the requests back already.
  const first = idsOf(await result(next, 'deaths', 'queueTake', { take: 1, count: 1 }));
  const rest = idsOf(await result(next, 'deaths', 'queueTake', { take: 2, count: 9 }));
  expect([first.length, rest.length]).toEqual([1, 2]);
  expect([...first, ...rest]).toEqual(expect.arrayContaining(idsOf(taken).slice(1)));
  await result(dead, 'deaths', 'queueSettle', settlement(idsOf(taken), 1, 'x'));
  expect(await countsOf('deaths')).toMatchObject({ waiting: 0, leased: 3, done: 1 });
  await endRun(next);
  await app.part(QueuesRepository).giveBack();
  expect(await countsOf('deaths')).toMatchObject({ waiting: 3, leased: 0, done: 1 });
  await checkCounts('deaths');
});

test('a request that runs left when they died names them until it is settled', async () => {
  const [first, second, third] = [await startRun(), await startRun(), await startRun()] as [string, string, string];
  await queue('left').add(pages(0, 2));
  const began = Date.now();
  await result(first, 'left', 'queueTake', { take: 1, count: 1 });
  await endRun(first);
  const [taken] = (await result(second, 'left', 'queueTake', { take: 1, count: 1 })).requests;
  expect(taken.left_by).toBeUndefined();
  const [again] = (await result(second, 'left', 'queueTake', { take: 2, count: 1 })).requests;
  expect(again.left_by).toEqual([first]);
  expect(Math.abs(again.taken_at - began)).toBeLessThan(600_000);
  await endRun(second);
  const { requests } = await result(third, 'left', 'queueTake', { take: 1, count: 2 });
  const leftBy = Object.fromEntries(requests.map((request: any) => [request.id, request.left_by]));
  expect(leftBy).toEqual({ [taken.id]: [second], [again.id]: [first, second] });
  expect(requests.find(({ id }: any) => id === again.id).taken_at).toBe(again.taken_at);
  await result(third, 'left', 'queueSettle', settlement([taken.id, again.id], 1, 'd'));
  const settled = await result(third, 'left', 'queueTake', { take: 2, count: 2 });
  expect(settled.requests.map((request: any) => [request.retries, request.left_by])).toEqual([
    [1, undefined],
    [1, undefined],
  ]);
  await checkCounts('left');
});

test('runs that take at the same time never get the same request', async () => {
  await startRun();
  await queue('shared').add(pages(0, 300).map((url, n) => url.replace('shop', `shop${n % 7}`)));
  const runs = await Promise.all(Array.from({ length: 5 }, startRun));
  const found = await Promise.all(
    runs.map(async run => {
      const mine: string[] = [];
      for (let take = 1; ; take++) {
        const ids = idsOf(await result(run, 'shared', 'queueTake', { take, count: 8 }));
        if (ids.length === 0) return mine;
        mine.push(...ids);
        await result(run, 'shared', 'queueSettle', settlement(ids, take, 'x'));
      }
    }),
  );
  expect(found.flat()).toHaveLength(300);
  expect(new Set(found.flat()).size).toBe(300);
  expect(await countsOf('shared')).toMatchObject({ waiting: 0, leased: 0, done: 300 });
  await checkCounts('shared');
});

test('adds and takes at the same time, of requests in different orders, neither block nor count twice', async () => {
  const [adder, ...takers] = await Promise.all(Array.from({ length: 3 }, startRun));
  actAs(adder as string);
  const crossed = pages(0, 1_000).map((url, n) => url.replace('shop', `shop${n % 40}`));
  // Adds wait for each other while their hosts are new.
  await queue('crossed').add(crossed.slice(0, 40));
  const adds = Array.from({ length: 8 }, (_, n) => queue('crossed').add(n % 2 ? crossed : crossed.toReversed()));
  const takes = takers.map(async run => {
    for (let take = 1; ; take++) {
      const ids = idsOf(await result(run, 'crossed', 'queueTake', { take, count: 20 }));
      if (ids.length > 0) await result(run, 'crossed', 'queueSettle', settlement(ids, take, 'x'));
      if ((await countsOf('crossed'))?.done === 1_000) return;
    }
  });
  expect((await Promise.all(adds)).reduce((sum, { added }) => sum + added, 0)).toBe(960);
  await Promise.all(takes);
  await checkCounts('crossed');
});

const hostsOf = async (name: string): Promise<string[]> => {
  const query = 'SELECT h.name FROM queue_hosts h JOIN queues q ON q.key = h.queue WHERE q.name = $1 ORDER BY 1';
  return (await app.sql<{ name: string }>(query, [name])).map(host => host.name);
};

test('a known request that names another host leaves no host', async () => {
  await startRun();
  await queue('moved').add({ url: 'https://old.example/', uniqueKey: 'home' });
  const again = [{ url: 'https://new.example/', uniqueKey: 'home' }, 'https://shop.example/'];
  expect(await queue('moved').add(again)).toEqual({ added: 1, known: 1 });
  expect(await hostsOf('moved')).toEqual(['old.example', 'shop.example']);
  await checkCounts('moved');
});

test('a backend of a previous version adds the same requests once', async () => {
  await startRun();
  const [a, b] = [randomUUID(), randomUUID()];
  const sql = `SELECT states FROM queue_add($1, 'before', $2, $3, $4, $5, '{}', 0, false, 200, 1000, 1000)`;
  const add = (fingerprints: string[], letters: string) => {
    const urls = [...letters].map(letter => `https://${letter}.example/`);
    return app.sql(sql, [ownerId, randomUUID(), fingerprints, urls, [...letters]]);
  };
  expect(await add([a, b, a], 'aba')).toEqual([{ states: [0, 0, 1] }]);
  expect(await add([randomUUID(), b], 'cb')).toEqual([{ states: [0, 1] }]);
  expect(await countsOf('before')).toMatchObject({ waiting: 3 });
  await checkCounts('before');
});

test('a take has at most as many bytes as an answer may have', async () => {
  const run = await startRun();
  await queue('large').add(pages(0, 20).map(url => ({ url, userData: 'x'.repeat(65_000) })));
  const { requests } = await result(run, 'large', 'queueTake', { take: 1, count: 20 });
  expect(requests.length).toBeGreaterThan(3);
  expect(requests.length).toBeLessThan(8);
});

test('a run has at most 1,000 requests at the same time', async () => {
  const run = await startRun();
  await queue('many').add(pages(0, 1_500));
  expect(idsOf(await result(run, 'many', 'queueTake', { take: 1, count: 700 }))).toHaveLength(700);
  expect(idsOf(await result(run, 'many', 'queueTake', { take: 2, count: 700 }))).toHaveLength(300);
  expect(idsOf(await result(run, 'many', 'queueTake', { take: 3, count: 700 }))).toHaveLength(0);
});

test('a run gets as many requests as it asks for, of hosts with few and one with many', async () => {
  const run = await startRun();
  const few = pages(0, 10).map((url, n) => url.replace('shop', `shop${n}`));
  await queue('uneven').add([...few, ...pages(0, 40)]);
  await app.sql(`UPDATE queue_hosts SET turn = 1 WHERE name = 'shop.example'`);
  expect(idsOf(await result(run, 'uneven', 'queueTake', { take: 1, count: 30 }))).toHaveLength(30);
  expect(idsOf(await result(run, 'uneven', 'queueTake', { take: 2, count: 30 }))).toHaveLength(20);
});

test('requests count as storage, and an account that is full can add none until they are gone', async () => {
  await startRun();
  await app.part(StorageUsageService).measureChanged();
  const before = (await app.part(StorageUsageService).room(ownerId)).used;
  await queue('bytes').add({ url: 'https://shop.example/bytes', userData: 'x'.repeat(1_000) });
  await app.part(StorageUsageService).measureChanged();
  const used = (await app.part(StorageUsageService).room(ownerId)).used;
  expect(used - before).toBeGreaterThan(1_400);
  await app.sql(`UPDATE users SET quotas = jsonb_build_object('storage_bytes', $2::bigint) WHERE id = $1`, [
    ownerId,
    used + 300,
  ]);
  await app.stop();
  await app.start();
  operations = app.part(QueueOperationsService);
  await startRun();
  await expect(queue('bytes').add(pages(0, 2))).rejects.toMatchObject({ code: 'storage_full' });
  await app.sql(`UPDATE users SET quotas = '{}' WHERE id = $1`, [ownerId]);
  await app.stop();
  await app.start();
  operations = app.part(QueueOperationsService);
});

test('a queue knows at most 10,000,000 requests, and other queues of the account have room', async () => {
  const run = await startRun();
  await queue('huge').add(pages(0, 1));
  await app.sql(`UPDATE queues SET done = 9999998 WHERE name = 'huge'`);
  await expect(queue('huge').add(pages(1, 3))).rejects.toMatchObject({
    code: 'storage_full',
    message: expect.stringContaining('A queue holds at most 10,000,000 requests'),
  });
  await expect(queue('huge').add(['https://a.example/', 'https://b.example/'])).rejects.toThrow();
  expect(await hostsOf('huge')).toEqual(['shop.example']);
  expect(await queue('huge').add(pages(0, 2))).toEqual({ added: 1, known: 1 });
  expect(await queue('not-huge').add(pages(0, 2))).toEqual({ added: 2, known: 0 });
  await endRun(run);
});

test('queues of the same name of two accounts know nothing of each other', async () => {
  const run = await startRun();
  const [other] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'admin'`);
  await queue('private').add(pages(0, 3));
  const taken = await result(run, 'private', 'queueTake', { take: 1, count: 1 });
  const asOther = async (method: QueueMethod, args: object): Promise<any> => {
    const answer = await operations.run(other?.id ?? '', run, {
      collection: 'private',
      method,
      args: serialize(args),
      resend: false,
    });
    return 'result' in answer ? deserialize(answer.result) : answer;
  };
  expect(await asOther('queueTake', { take: 1, count: 9 })).toMatchObject({ requests: [], leased: 0 });
  expect(await asOther('queueCounts', {})).toEqual({ waiting: 0, taken: 0, done: 0, failed: 0 });
  await asOther('queueSettle', settlement(idsOf(taken), 1, 'x'));
  await asOther('queueDrop', {});
  expect(await countsOf('private')).toMatchObject({ waiting: 2, leased: 1, done: 0 });
});

test('takes use up no ids, however many there are', async () => {
  const run = await startRun();
  await queue('takes').add(pages(0, 1));
  for (let take = 1; take <= 20; take++) await result(run, 'takes', 'queueTake', { take, count: 1 });
  const next = await startRun();
  await result(next, 'takes', 'queueTake', { take: 1, count: 1 });
  const ids = await app.sql<{ id: number }>('SELECT id FROM queue_takers WHERE execution_id = ANY($1) ORDER BY id', [
    [run, next],
  ]);
  expect(Number(ids[1]?.id) - Number(ids[0]?.id)).toBe(1);
});

test('ids do not run out, however many queues, runs and hosts there were', async () => {
  await app.sql(`ALTER SEQUENCE queue_keys RESTART WITH 2147483647`);
  await app.sql(`ALTER SEQUENCE queue_taker_ids RESTART WITH 2147483647`);
  for (const name of ['last-id', 'first-id']) {
    const run = await startRun();
    await queue(name).add(['https://one.example/', 'https://two.example/']);
    await queue(name).add(['https://two.example/next', 'https://three.example/']);
    const { requests } = await queue(name).takeNow(4);
    for (const request of requests) await queue(name).failed(request);
    expect(await queue(name).counts()).toEqual({ waiting: 0, taken: 0, done: 0, failed: 4 });
    await endRun(run);
  }
  const hosts = await app.sql(
    `SELECT q.name, array_agg(h.name || ' ' || h.failed ORDER BY h.id) AS hosts, max(h.id) AS last
     FROM queue_hosts h JOIN queues q ON q.key = h.queue WHERE q.name IN ('last-id', 'first-id') GROUP BY q.name`,
  );
  for (const { hosts: counted, last } of hosts as { hosts: string[]; last: number }[]) {
    expect(counted.sort()).toEqual(['one.example 1', 'three.example 1', 'two.example 2']);
    expect(last).toBe(3);
  }
});

test('a run that dies with 10,000 requests gives all of them back', async () => {
  const run = await startRun();
  const names = Array.from({ length: 10 }, (_, n) => `leases-${n}`);
  for (const name of names) {
    await queue(name).add(pages(0, 1_000));
    expect((await result(run, name, 'queueTake', { take: 1, count: 1_000 })).requests).toHaveLength(1_000);
  }
  await endRun(run);
  await app.part(QueuesRepository).giveBack();
  for (const name of names) {
    expect(await countsOf(name)).toMatchObject({ waiting: 1_000, leased: 0 });
    await checkCounts(name);
  }
});

test('a queue that nobody has used for 30 days goes', async () => {
  await endRun(await startRun());
  await queue('old').add(pages(0, 2));
  await queue('young').add(pages(0, 2));
  await app.sql(`UPDATE queues SET updated_at = now() - interval '31 days' WHERE name = 'old'`);
  await app.sql(`UPDATE queues SET updated_at = now() - interval '29 days' WHERE name = 'young'`);
  await app.part(QueuesRepository).deleteUnused();
  await app.part(QueuesService).deleteMarked();
  const left = await app.sql<{ name: string }>(`SELECT name FROM queues WHERE name IN ('old', 'young')`);
  expect(left).toEqual([{ name: 'young' }]);
});

test.each<[string, string, QueueMethod, object]>([
  ['a name that is a path', '../x', 'queueTake', { take: 1, count: 1 }],
  ['a count of 0', 'q', 'queueTake', { take: 1, count: 0 }],
  ['a field that nobody knows', 'q', 'queueTake', { take: 1, count: 1, $where: 'x' }],
  ['a list that is too short', 'q', 'queueSettle', { ...settlement([randomUUID()], 1, 'x'), takes: [1, 1] }],
  ['an outcome that nobody knows', 'q', 'queueSettle', { ...settlement([randomUUID()], 1, 'x'), outcomes: 'q' }],
  [
    'half a fingerprint',
    'q',
    'queueSettle',
    { ...settlement([randomUUID()], 1, 'x'), fingerprints: new Binary(Buffer.alloc(9)) },
  ],
])('a call with %s is refused', async (_, name, method, args) => {
  const answer = await send(randomUUID(), name, method, args);
  expect(answer).toMatchObject({ error: { code: 'storage_rejected' } });
});
