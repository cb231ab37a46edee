import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino } from 'pino';
import { appForFile } from '../../../../test/test-app.js';
import { makeWorkerAndSkript, sweepLeases, TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { createApp } from '../../../app.js';

const START = '/joint-api/execute-skript/single-worker/start?wait_ms=0&force=true';

const { app, developer, admin } = appForFile();
let skriptId: string;
/** Another backend of the same platform. */
let second: NestExpressApplication;
let elsewhere: typeof app;
let group: { id: string; name: string; key: string };
let made = 0;
const connected: TestWorker[] = [];

beforeAll(async () => {
  ({ skriptId } = await makeWorkerAndSkript(app, 'groups'));
  second = await createApp(app.config, pino({ level: 'silent' }));
  await second.listen(0, '127.0.0.1');
  elsewhere = { ...app, url: await second.getUrl() };
});
beforeEach(async () => {
  made += 1;
  const answer = await admin('POST', '/joint-api/worker-groups/addnew', { name: `paris${made}`, public: true });
  expect(answer.status).toBe(201);
  group = answer.body;
});
afterEach(() => {
  for (const worker of connected.splice(0)) worker.close();
});
afterAll(() => second?.close());

/** Connects a process with the key of the group, by default one with an empty data folder. */
async function connect(hello: object = {}, backend = app, key = group.key): Promise<TestWorker> {
  const worker = await TestWorker.connect(backend, key, { previous_boot_id: null, ...hello });
  connected.push(worker);
  return worker;
}

const nameOf = ({ welcome }: TestWorker) => welcome.worker_name;
const numbered = (...numbers: number[]) => numbers.map(n => `${group.name}-${n}`);
const inList = async () =>
  (await admin('GET', `/apps/workers/list?group_id=${group.id}&sort=name`)).body.items as {
    id: string;
    name: string;
    status: string;
  }[];
const namesInList = async () => (await inList()).map(({ name }) => name);
const start = async (worker: TestWorker) =>
  (await developer('POST', START, { worker_id: worker.welcome.worker_id, skript_id: skriptId })).body;
const run = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;
const groupInList = async () =>
  (await admin('GET', '/apps/worker-groups/list?limit=1000')).body.items.find(
    ({ id }: { id: string }) => id === group.id,
  );

async function leave(worker: TestWorker): Promise<void> {
  worker.close();
  await until(
    async () => (await inList()).find(({ name }) => name === nameOf(worker))?.status,
    status => status === 'offline',
  );
}

/** Makes the last heartbeat of a worker older by eleven minutes, longer than a worker may be away. */
const goBack = (worker: TestWorker) =>
  app.sql(`UPDATE worker_leases SET lease_until = lease_until - interval '11 min' WHERE worker_id = $1`, [
    worker.welcome.worker_id,
  ]);

describe('processes with the key of a group', () => {
  it('become separate workers, each with its own runs and its own key for downloads', async () => {
    const [first, other] = [await connect(), await connect()];
    expect([first, other].map(nameOf)).toEqual(numbered(1, 2));
    expect(await inList()).toMatchObject([
      { name: nameOf(first), status: 'online', public: true, group_id: group.id },
      { name: nameOf(other), status: 'online', public: true, group_id: group.id },
    ]);
    expect(await groupInList()).toMatchObject({ workers: 2, connected: 2 });
    expect(JSON.stringify(await groupInList())).not.toContain('key');

    const { id } = await start(other);
    const { bundle } = await other.offers.next();
    expect(first.offers.all).toEqual([]);
    const download = async (key = '') => (await app.bearer(key)('GET', `/worker-api/bundles/${bundle}`)).status;
    expect(await download(other.welcome.key)).toBe(200);
    expect(await download(first.welcome.key)).toBe(404);
    expect(await download(group.key)).toBe(401);
    await other.finish(id);
    expect(await run(id)).toMatchObject({ action: 'end', worker: { name: nameOf(other) } });
  });

  it('become separate workers even if they connect to several backends at the same time', async () => {
    const all = await Promise.all([app, elsewhere, app, elsewhere, app].map(backend => connect({}, backend)));
    expect(all.map(nameOf).sort()).toEqual(numbered(1, 2, 3, 4, 5));
  });

  it('stay the same worker when they reconnect or restart from their data folder', async () => {
    await connect();
    const worker = await connect();
    const { id } = await start(worker);
    await worker.offers.next();
    const again = await connect({ boot_id: worker.bootId, live: [id] }, elsewhere);
    expect(again.welcome).toMatchObject({ worker_name: nameOf(worker), key: worker.welcome.key, kill: [] });
    await again.finish(id);
    const next = await connect({ previous_boot_id: worker.bootId });
    expect(nameOf(next)).toBe(nameOf(worker));
    expect(next.welcome.key).not.toBe(worker.welcome.key);
  });

  it('take over an offline worker of the group, but not one that still has runs', async () => {
    const [first, second, third] = [await connect(), await connect(), await connect()];
    const { id } = await start(first);
    await first.offers.next();
    for (const worker of [first, second]) await leave(worker);
    expect(nameOf(await connect())).toBe(nameOf(second));
    expect(nameOf(await connect())).toBe(`${group.name}-4`);
    const back = await connect({ boot_id: first.bootId, live: [id] });
    expect([nameOf(back), back.welcome.kill]).toEqual([nameOf(first), []]);
    await back.finish(id);
    expect(third.socket.connected).toBe(true);
  });

  it('get a name that no other worker has', async () => {
    const taken = await admin('POST', '/joint-api/workers/addnew', { name: `${group.name}-1` });
    expect(taken.status).toBe(201);
    expect(nameOf(await connect())).toBe(`${group.name}-2`);
  });
});

describe('a worker of a group that is offline for over ten minutes', () => {
  it('is retired, and its past runs keep its name', async () => {
    const [gone, stays, short] = [await connect(), await connect(), await connect()];
    const { id } = await start(gone);
    await gone.offers.next();
    await gone.finish(id);
    for (const worker of [gone, short]) await leave(worker);
    await goBack(gone);
    await sweepLeases(app);
    expect(await namesInList()).toEqual([nameOf(stays), nameOf(short)]);
    expect(await run(id)).toMatchObject({ action: 'end', worker: { name: nameOf(gone) } });
    expect(nameOf(await connect())).toBe(nameOf(short));
    expect(nameOf(await connect())).toBe(nameOf(gone));
  });

  it('is not retired while a run waits for it', async () => {
    const [worker, other] = [await connect(), await connect()];
    for (const each of [worker, other]) await leave(each);
    const { id } = await start(worker);
    for (const each of [worker, other]) await goBack(each);
    await sweepLeases(app);
    expect(await namesInList()).toEqual([nameOf(worker)]);
    await developer('POST', `/joint-api/skript-execution/${id}/stop`);
  });

  it('is retired, unlike a worker with a key of its own', async () => {
    const { body } = await admin('POST', '/joint-api/workers/addnew', { name: `alone${made}` });
    const [alone, member] = [await connect({}, app, body.key), await connect()];
    for (const worker of [alone, member]) worker.close();
    for (const worker of [alone, member]) {
      await until(
        () =>
          app.sql('SELECT 1 FROM worker_leases WHERE worker_id = $1 AND replica_id IS NULL', [
            worker.welcome.worker_id,
          ]),
        ({ length }) => length === 1,
      );
      await goBack(worker);
    }
    await sweepLeases(app);
    expect(await namesInList()).toEqual([]);
    expect((await admin('GET', `/joint-api/workers/${body.id}`)).status).toBe(200);
  });
});

const closed = (worker: TestWorker) =>
  until(
    () => worker.socket.connected,
    is => !is,
  );

it('a new key of a group disconnects its workers, which can reconnect with the new key', async () => {
  const workers = [await connect(), await connect({}, elsewhere)];
  const rotated = await admin('POST', `/joint-api/worker-groups/${group.id}/key`);
  expect(rotated.status).toBe(201);
  for (const worker of workers) await closed(worker);
  await expect(connect()).rejects.toThrow('Unknown worker key');
  const own = (await app.bearer(String(workers[0]?.welcome.key))('GET', `/worker-api/bundles/${'0'.repeat(64)}`))
    .status;
  expect(own).toBe(401);
  const again = await connect({ boot_id: workers[1]?.bootId }, app, rotated.body.key);
  expect(nameOf(again)).toBe(`${group.name}-2`);
});

it('the key of a single worker of a group cannot be replaced', async () => {
  const worker = await connect();
  const answer = await admin('POST', `/joint-api/workers/${worker.welcome.worker_id}/key`);
  expect(answer).toMatchObject({ status: 409, body: { error_code: 'conflict' } });
  expect(answer.body.error_message).toContain('Replace the key of the group');
});

it('a group cannot be deleted while a worker has runs; later it is deleted with all its workers', async () => {
  const [first, other] = [await connect(), await connect({}, elsewhere)];
  const { id } = await start(other);
  await other.offers.next();
  const refused = await admin('DELETE', `/joint-api/worker-groups/${group.id}`);
  expect(refused.body).toMatchObject({ error_code: 'has_live_run', details: { runs: 1 } });
  expect(await namesInList()).toHaveLength(2);
  await other.finish(id);
  const { body } = await admin('DELETE', `/joint-api/worker-groups/${group.id}`);
  expect(body.deleted).toEqual({
    worker_groups: 1,
    workers: 2,
    worker_assignments: 0,
    worker_group_assignments: 0,
    waiting_runs: 0,
  });
  for (const worker of [first, other]) await closed(worker);
  expect(await namesInList()).toEqual([]);
  await expect(connect()).rejects.toThrow('Unknown worker key');
  expect(await run(id)).toMatchObject({ worker: { name: nameOf(other) } });
});

describe('a change of a group', () => {
  const change = (body: object) => admin('PUT', `/joint-api/worker-groups/${group.id}`, body);

  it('applies `public` to all its workers, but its name only to new workers', async () => {
    await connect();
    const name = `rome${made}`;
    expect(await change({ name, public: false })).toMatchObject({ status: 200, body: { name, public: false } });
    await connect();
    expect(await inList()).toMatchObject([
      { name: `${group.name}-1`, public: false },
      { name: `${name}-1`, public: false },
    ]);
    expect(await change({ public: true })).toMatchObject({ status: 200, body: { name, public: true } });
    expect(await inList()).toMatchObject([{ public: true }, { public: true }]);
  });

  it('is refused if another group has the new name', async () => {
    const other = await admin('POST', '/joint-api/worker-groups/addnew', { name: `other${made}` });
    expect(await change({ name: other.body.name })).toMatchObject({ status: 409, body: { error_code: 'name_taken' } });
    expect(await groupInList()).toMatchObject({ name: group.name });
  });
});

describe('a private group that is assigned to a user', () => {
  const assignments = () => `/joint-api/worker-groups/${group.id}/assignments`;
  let userId: string;

  beforeEach(async () => {
    await admin('PUT', `/joint-api/worker-groups/${group.id}`, { public: false });
    userId = (await developer('GET', '/joint-api/account')).body.id;
  });
  const assign = () => admin('POST', `${assignments()}/addnew`, { user_id: userId });
  const seenByUser = async () =>
    (await developer('GET', `/apps/workers/list?group_id=${group.id}&sort=name`)).body.items as { name: string }[];

  it('lets the user use its present and future workers until the assignment ends', async () => {
    const worker = await connect();
    expect(await seenByUser()).toEqual([]);
    expect((await start(worker)).error_code).toBe('not_found');
    expect(await assign()).toMatchObject({ status: 201, body: { group_id: group.id, user_id: userId } });
    expect((await assign()).body.error_code).toBe('conflict');
    const { id } = await start(worker);
    expect(await worker.offers.next()).toMatchObject({ id });
    await connect({}, elsewhere);
    expect((await seenByUser()).map(({ name }) => name)).toEqual(numbered(1, 2));
    expect((await admin('GET', `${assignments()}/list`)).body.items).toMatchObject([{ user_id: userId }]);

    expect((await admin('DELETE', `${assignments()}/${userId}`)).body.deleted).toEqual({ worker_group_assignments: 1 });
    expect(await seenByUser()).toEqual([]);
    expect((await admin('DELETE', `${assignments()}/${userId}`)).status).toBe(404);
    await worker.finish(id);
    expect(await run(id)).toMatchObject({ action: 'end' });
  });

  it('lets the user restart a worker unless that is also assigned to somebody else', async () => {
    const worker = await connect();
    await assign();
    const mayRestart = async () =>
      (await developer('GET', `/joint-api/workers/${worker.welcome.worker_id}`)).body.may_restart;
    expect(await mayRestart()).toBe(true);
    const other = (await admin('GET', '/joint-api/account')).body.id;
    const path = `/joint-api/workers/${worker.welcome.worker_id}/assignments/addnew`;
    expect((await admin('POST', path, { user_id: other })).status).toBe(201);
    expect(await mayRestart()).toBe(false);
  });

  it('is deleted with its assignments', async () => {
    await assign();
    const { body } = await admin('DELETE', `/joint-api/worker-groups/${group.id}`);
    expect(body.deleted).toMatchObject({ worker_groups: 1, worker_group_assignments: 1 });
  });
});
