import { randomUUID } from 'node:crypto';
import type { QueueMethod } from '@trawl/contracts';
import { queue } from '../../../../packages/storage/src/index.js';
import { appForFile } from '../../../test/test-app.js';
import { AuditLog } from '../../platform/audit/audit-log.service.js';
import { QueueOperationsService } from './queue-operations.service.js';
import { QueuesRepository } from './queues.repository.js';
import { QueuesService } from './queues.service.js';

const PORT = Symbol.for('trawl.storage');
const globals = globalThis as Record<symbol, unknown> & { trawl?: unknown };
const { app, developer } = appForFile();

const page = (number: number, host = 'shop.example'): string => `https://${host}/${number}`;

/** Lets the calls that follow be those of a new run. */
const startRun = async () => {
  const [user] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
  const ownerId = user?.id ?? '';
  const id = randomUUID();
  await app.sql(
    `INSERT INTO live_runs (execution_id, owner_id, on_any, environment, live_key, forced, time_limit_ms, waiting_reason, waiting_since, payload)
     VALUES ($1, $2, true, 'node', '', true, 1000, 'worker_offline', now(), '')`,
    [id, ownerId],
  );
  globals.trawl = { execution_id: id };
  globals[PORT] = (request: { collection: string; method: QueueMethod; args: Uint8Array }) =>
    app.part(QueueOperationsService).run(ownerId, id, { ...request, resend: false });
};
beforeEach(startRun);
afterEach(async () => {
  await app.sql('DELETE FROM live_runs');
  await app.sql('UPDATE queues SET deleted_at = now()');
  await app.part(QueuesService).deleteMarked();
});
afterAll(() => {
  delete globals[PORT];
  delete globals.trawl;
});

const list = async (query = ''): Promise<any[]> =>
  (await developer('GET', `/joint-api/queues/list${query}`)).body.items;

/** Fills a queue: of its requests to one host, one is done, two have failed, one is delayed and one taken. Returns its id. */
async function fill(name: string): Promise<string> {
  const pages = queue(name);
  await pages.add([1, 2, 3, 4, 5, 6].map(number => page(number)));
  await pages.add([page(1, 'port.example:8080')]);
  const { requests } = await pages.takeNow(7);
  const at = (number: number) => requests.find(({ url }) => url === page(number)) as (typeof requests)[number];
  await pages.done(at(1));
  await pages.failed(at(2), new Error('The page has no price.'));
  await pages.failed(at(3));
  await pages.retry(at(4), { delayMs: 60_000 });
  await pages.release(at(6));
  await pages.release(requests.find(({ url }) => url === page(1, 'port.example:8080')) as (typeof requests)[number]);
  return (await list(`?name_contains=${name}`))[0].id;
}

test('a queue has its counts, and each of its hosts has its own', async () => {
  const id = await fill('shop-pages');
  const { body } = await developer('GET', `/joint-api/queues/${id}`);
  expect(body).toEqual({
    id,
    name: 'shop-pages',
    waiting: 3,
    taken: 1,
    done: 1,
    failed: 2,
    done_per_minute: 1,
    bytes: expect.any(Number),
    next_at: expect.any(String),
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(await list()).toEqual([body]);
  expect(await list('?name_contains=x%25')).toEqual([]);
  const { body: hosts } = await developer('GET', `/joint-api/queues/${id}/hosts?sort=-failed`);
  expect(hosts.items).toEqual([
    {
      host: 'shop.example',
      waiting: 2,
      taken: 1,
      done: 1,
      failed: 2,
      next_url: page(6),
      error: expect.stringContaining('The page has no price.'),
    },
    {
      host: 'port.example:8080',
      waiting: 1,
      taken: 0,
      done: 0,
      failed: 0,
      next_url: page(1, 'port.example:8080'),
      error: null,
    },
  ]);
});

test('failed requests that are put back have all their tries again', async () => {
  const id = await fill('to-retry');
  await app.sql(`UPDATE queue_requests SET retries = 3 WHERE state = 'f'`);
  const retried = await developer('POST', `/joint-api/queues/${id}/retry-failed`);
  expect([retried.status, retried.body]).toEqual([200, { retried: 2 }]);
  expect((await developer('GET', `/joint-api/queues/${id}`)).body).toMatchObject({ waiting: 5, failed: 0 });
  expect((await developer('GET', `/joint-api/queues/${id}/hosts`)).body.items[0]).toMatchObject({
    waiting: 4,
    failed: 0,
    error: null,
  });
  const { requests } = await queue('to-retry').takeNow(9);
  expect(requests.map(({ url, retries }) => [url, retries]).sort()).toEqual([
    [page(1, 'port.example:8080'), 0],
    [page(2), 0],
    [page(3), 0],
    [page(6), 0],
  ]);
  expect((await developer('POST', `/joint-api/queues/${id}/retry-failed`)).body).toEqual({ retried: 0 });
});

test('more failed requests than one statement changes are put back', async () => {
  const pages = queue('many');
  await pages.add(Array.from({ length: 5_100 }, (_, number) => page(number)));
  await app.sql(`UPDATE queue_requests SET state = 'f'`);
  for (const table of ['queues', 'queue_hosts'])
    await app.sql(`UPDATE ${table} SET waiting = 0, failed = 5100 WHERE waiting = 5100`);
  const [{ id }] = await list();
  expect((await developer('POST', `/joint-api/queues/${id}/retry-failed`)).body).toEqual({ retried: 5_100 });
  expect((await list())[0]).toMatchObject({ waiting: 5_100, failed: 0 });
});

test('requests of runs that have ended are given back while their queues are deleted', async () => {
  for (let round = 0; round < 20; round++) {
    for (const name of ['one', 'two', 'three']) {
      const pages = queue(name);
      await pages.add(Array.from({ length: 300 }, (_, number) => page(number)));
      await pages.takeNow(300);
    }
    await app.sql('DELETE FROM live_runs');
    await app.sql('UPDATE queues SET deleted_at = now()');
    const repository = app.part(QueuesRepository);
    await Promise.all([repository.giveBack(), app.part(QueuesService).deleteMarked(), repository.giveBack()]);
    await app.part(QueuesService).deleteMarked();
    await startRun();
  }
});

test('a queue that is emptied keeps its id and name, and knows no request', async () => {
  const id = await fill('to-empty');
  const { created_at } = (await developer('GET', `/joint-api/queues/${id}`)).body;
  const { requests } = await queue('to-empty').takeNow(1);
  const { status, body } = await developer('POST', `/joint-api/queues/${id}/empty`);
  const none = { waiting: 0, taken: 0, done: 0, failed: 0, bytes: 0, done_per_minute: 0, next_at: null };
  expect([status, body]).toEqual([200, { id, name: 'to-empty', ...none, created_at, updated_at: expect.any(String) }]);
  expect((await developer('GET', `/joint-api/queues/${id}/hosts`)).body.items).toEqual([]);
  await queue('to-empty').done(requests[0] as (typeof requests)[number]);
  expect(await queue('to-empty').add([page(1), page(2)])).toEqual({ added: 2, known: 0 });
  await app.part(QueuesService).deleteMarked();
  expect(await list()).toMatchObject([{ id, waiting: 2, taken: 0, done: 0 }]);
  expect(await queue('to-empty').counts()).toMatchObject({ waiting: 2, done: 0 });
});

test('the rate is that of the last 60 seconds', async () => {
  const pages = queue('rate');
  await pages.add(Array.from({ length: 20 }, (_, number) => page(number)));
  const doneAt = async (count: number) => {
    const { requests } = await pages.takeNow(count);
    await Promise.all(requests.map(request => pages.done(request)));
  };
  const rate = async () => (await list())[0].done_per_minute;
  await doneAt(4);
  await doneAt(6);
  const before = await rate();
  // A minute may begin at any moment of this test.
  expect([4, 6, 10].some(count => before <= 10 && before >= count - 1)).toBe(true);
  await app.sql('UPDATE queues SET minute = minute - 2');
  expect(await rate()).toBe(0);
  await doneAt(3);
  expect(await rate()).toBe(3);
});

test('small queues are deleted first', async () => {
  await queue('a-large-one').add(Array.from({ length: 100 }, (_, number) => page(number)));
  await queue('small').add(page(1));
  await app.sql('UPDATE queues SET deleted_at = now()');
  const repository = app.part(QueuesRepository);
  const left = async () => (await app.sql<{ name: string }>('SELECT name FROM queues')).map(({ name }) => name);
  for (let step = 0; step < 10 && (await left()).length === 2; step++) await repository.deleteSome();
  expect(await left()).toEqual(['a-large-one']);
});

test('a deleted queue is gone at once, and a run that adds to it begins an empty one', async () => {
  const id = await fill('to-delete');
  expect((await developer('DELETE', `/joint-api/queues/${id}`)).body).toEqual({ deleted: { queues: 1 } });
  expect((await developer('DELETE', `/joint-api/queues/${id}`)).status).toBe(404);
  expect((await developer('GET', `/joint-api/queues/${id}/hosts`)).status).toBe(404);
  expect(await list()).toEqual([]);
  expect(await queue('to-delete').add([page(1)])).toEqual({ added: 1, known: 0 });
  const [again] = await list();
  expect(again).toMatchObject({ name: 'to-delete', waiting: 1, taken: 0, done: 0, failed: 0 });
  expect(again.id).not.toBe(id);
  await app.part(AuditLog).flush();
  expect(await app.sql('SELECT action, target_name FROM audit_log WHERE target_id = $1', [id])).toEqual([
    { action: 'deleteQueue', target_name: 'to-delete' },
  ]);
});
