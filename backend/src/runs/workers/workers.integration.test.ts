import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { PROTOCOL } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { type Api, appForFile } from '../../../test/test-app.js';
import { makeWorkerAndSkript, TestWorker } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';
import { SessionTokens } from '../../platform/auth/session-tokens.service.js';
import { OffersService } from '../executions/dispatch/offers.service.js';
import { ReconciliationService } from '../executions/dispatch/reconciliation.service.js';
import { WorkerConnections, type WorkerLink } from './connections/worker-connections.service.js';

const START = '/joint-api/execute-skript/single-worker/start?wait_ms=0';

const { app, developer, admin } = appForFile();
/** A second developer, whose account may run skripts on any worker. */
let other: { id: string; api: Api };
let skriptId: string;
const connected: TestWorker[] = [];

beforeAll(async () => {
  const [row] = await app.sql<{ id: string; password_hash: string }>(
    `INSERT INTO users (id, username, password_hash, role, built_in)
     SELECT $1, 'other@example.com', password_hash, role, true FROM users WHERE username = 'developer' RETURNING *`,
    [randomUUID()],
  );
  const { id, password_hash } = row as { id: string; password_hash: string };
  other = { id, api: app.bearer((await app.part(SessionTokens).open(id, password_hash)) as string) };
  ({ skriptId } = await makeWorkerAndSkript(app, 'administration'));
});
afterEach(() => {
  for (const worker of connected.splice(0)) worker.close();
});

let made = 0;

async function makeWorker(body: object = {}): Promise<{ id: string; key: string }> {
  made += 1;
  return (await admin('POST', '/joint-api/workers/addnew', { name: `worker-${made}`, ...body })).body;
}

async function connect(key: string, hello = {}): Promise<TestWorker> {
  const worker = await TestWorker.connect(app, key, hello);
  connected.push(worker);
  return worker;
}

const helloOf = ({ bootId }: TestWorker) => ({
  protocol: PROTOCOL,
  version: '1',
  boot_id: bootId,
  environments: ['nodejs'],
  sandbox: 'full',
  sandbox_layers: [],
  slots: 1,
  live: [],
  done: [],
});

const userId = async (api: Api) => (await api('GET', '/joint-api/account')).body.id;
const assign = async (workerId: string, api: Api) =>
  admin('POST', `/joint-api/workers/${workerId}/assignments/addnew`, { user_id: await userId(api) });
const statusOf = async (id: string) => (await admin('GET', `/joint-api/workers/${id}`)).body.status;
const run = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;

describe('a worker that is neither public nor assigned', () => {
  it('is hidden from a developer until it is assigned', async () => {
    const { id } = await makeWorker();
    const seen = async () =>
      (await developer('GET', '/apps/workers/list?limit=1000')).body.items.some((w: { id: string }) => w.id === id);
    expect((await developer('GET', `/joint-api/workers/${id}`)).status).toBe(404);
    expect(await seen()).toBe(false);
    expect((await assign(id, developer)).status).toBe(201);
    expect((await assign(id, developer)).body.error_code).toBe('conflict');
    const { body } = await developer('GET', `/joint-api/workers/${id}`);
    expect(body).toMatchObject({ id, status: 'offline', runs: 0, last_seen_at: null, may_restart: true });
    expect(JSON.stringify(body)).not.toContain('key');
    expect(await seen()).toBe(true);
    const list = await admin('GET', `/joint-api/workers/${id}/assignments/list`);
    expect(list.body.items).toMatchObject([{ worker_id: id, username: 'developer' }]);
    await admin('DELETE', `/joint-api/workers/${id}/assignments/${await userId(developer)}`);
    expect(await seen()).toBe(false);
  });
});

it('a search for workers by name lists only those that the user may use', async () => {
  const [mine, hidden] = [await makeWorker({ name: 'Quay_1.left' }), await makeWorker({ name: 'quay_1.right' })];
  await makeWorker({ name: 'quay-1' });
  await assign(mine.id, developer);
  const found = async (api: Api, text: string) =>
    (await api('GET', `/apps/workers/list?sort=created_at&name_contains=${text}`)).body.items.map(
      ({ id }: { id: string }) => id,
    );
  // In SQL, an underscore would stand for any character.
  expect(await found(admin, 'UAY_1')).toEqual([mine.id, hidden.id]);
  expect(await found(developer, 'uay_1')).toEqual([mine.id]);
  expect(await found(developer, '')).toContain(mine.id);
});

it('a connected worker shows the CPU, memory and disk use of its last heartbeat', async () => {
  const { id, key } = await makeWorker();
  const usageOf = async () => (await admin('GET', `/joint-api/workers/${id}`)).body.usage;
  const worker = await connect(key);
  expect(await usageOf()).toBeNull();
  const usage = {
    cpu: 0.25,
    memory_used: 3 * 2 ** 30,
    memory_total: 64 * 2 ** 30,
    disk_free: 5,
    disk_total: 9,
    event_loop_ms: 7,
  };
  const { epoch } = worker.welcome;
  await worker.send('beat', { epoch, n: 1, free: 1, load: 0, usage });
  expect(await usageOf()).toEqual({
    cpu: 0.25,
    memory_used_bytes: 3 * 2 ** 30,
    memory_total_bytes: 64 * 2 ** 30,
    disk_free_bytes: 5,
    disk_total_bytes: 9,
    event_loop_ms: 7,
  });
  worker.close();
  await until(usageOf, shown => shown === null);
});

it('a connected worker shows the slots of its last heartbeat', async () => {
  const { id, key } = await makeWorker();
  const slotsOf = async () => {
    const { slots, free_slots } = (await admin('GET', `/joint-api/workers/${id}`)).body;
    return [slots, free_slots];
  };
  const worker = await connect(key);
  const { epoch } = worker.welcome;
  await worker.send('beat', { epoch, n: 1, slots: 7, free: 5, load: 0 });
  expect(await slotsOf()).toEqual([7, 5]);
  await worker.send('beat', { epoch, n: 2, free: 4, load: 0 });
  expect(await slotsOf()).toEqual([7, 4]);
  worker.close();
});

describe('a new key of a worker', () => {
  it('closes the connection with the old key, which is refused from then on', async () => {
    const { id, key } = await makeWorker();
    const worker = await connect(key);
    const closed = new Promise(resolve => worker.socket.once('disconnect', resolve));
    const rotated = await admin('POST', `/joint-api/workers/${id}/key`);
    expect(rotated.status).toBe(201);
    expect(rotated.body.key).toMatch(/^trw_.{40,}/);
    // The new process is not from the data folder of the old one, whose connection may not have ended.
    await connect(rotated.body.key);
    expect(await closed).toBe('io server disconnect');
    await expect(connect(key)).rejects.toThrow('Unknown worker key');
    expect(await statusOf(id)).toBe('online');
    expect((await admin('GET', `/joint-api/workers/${id}`)).body.key).toBeUndefined();
  });

  it('prevents a hello over a connection that authenticated with the old key', async () => {
    const { id, key } = await makeWorker();
    const worker = await connect(key);
    // Change the row directly, as another backend would: this backend gets no event.
    await app.sql(`UPDATE workers SET key_hash = sha256('another') WHERE id = $1`, [id]);
    const again = await worker.send('hello', helloOf(worker)).catch(() => 'closed');
    expect(again === 'closed' || again.error.code === 'unavailable').toBe(true);
    await until(
      () => worker.socket.connected,
      is => !is,
    );
  });
});

it('a worker that disconnects before the backend has handled its hello counts as offline', async () => {
  const { id, key } = await makeWorker();
  const worker = await connect(key);
  const lock = app.part(DataSource).createQueryRunner();
  await lock.startTransaction();
  await lock.query('SELECT 1 FROM workers WHERE id = $1 FOR UPDATE', [id]);
  worker.socket.emit('hello', helloOf(worker), () => {});
  await until(
    () =>
      app.sql(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        AND query LIKE '%FROM workers%FOR NO KEY UPDATE%'`),
    waiting => waiting.length > 0,
  );
  worker.close();
  await until(
    () => app.part(WorkerConnections).get(id),
    link => link === undefined,
  );
  await lock.commitTransaction();
  await lock.release();
  await until(
    () => app.sql('SELECT epoch::int, replica_id FROM worker_leases WHERE worker_id = $1', [id]),
    ([lease]) => isDeepStrictEqual(lease, { epoch: 2, replica_id: null }),
  );
  expect(app.part(WorkerConnections).get(id)).toBeUndefined();
});

describe('the sandbox of a worker', () => {
  const layers = [
    { name: 'own_user', holds: true, note: 'user ids from 62000' },
    { name: 'egress', holds: false, note: 'nft was not found: apt-get install nftables' },
  ];

  it('is shown layer by layer, and the notes only to administrators', async () => {
    const { id, key } = await makeWorker({ public: true });
    expect((await admin('GET', `/joint-api/workers/${id}`)).body.sandbox_layers).toEqual([]);
    await connect(key, { sandbox_layers: layers });
    for (const path of [`/joint-api/workers/${id}`, '/apps/workers/list?limit=1000']) {
      const seenBy = async (api: Api) => {
        const { body } = await api('GET', path);
        return (body.items ?? [body]).find((worker: { id: string }) => worker.id === id).sandbox_layers;
      };
      expect(await seenBy(admin)).toEqual(layers);
      expect(await seenBy(developer)).toEqual(layers.map(layer => ({ ...layer, note: null })));
    }
  });
});

describe('a worker whose key another backend replaced', () => {
  const replace = (id: string) => app.sql('UPDATE workers SET key_hash = sha256(name::bytea) WHERE id = $1', [id]);
  const start = (id: string, api = developer) => api('POST', START, { worker_id: id, skript_id: skriptId });

  it('gets no new run while its connection is still open', async () => {
    const { id, key } = await makeWorker({ public: true });
    const worker = await connect(key);
    await replace(id);
    const started = await start(id);
    expect(started.body).toMatchObject({ action: 'start', waiting_for: { reason: expect.stringMatching(/^worker_/) } });
    await app.part(ReconciliationService).reconcileAll();
    await until(
      () => worker.socket.connected,
      is => !is,
    );
    expect(worker.offers.all).toEqual([]);
    const { key: another } = (await admin('POST', `/joint-api/workers/${id}/key`)).body;
    const next = await connect(another);
    expect((await next.offers.next()).id).toBe(started.body.id);
    await next.finish(started.body.id);
  });

  it('gets no waiting run and no repeated offer', async () => {
    const { id, key } = await makeWorker({ public: true });
    const [worker, offers] = [await connect(key), app.part(OffersService)];
    const link = app.part(WorkerConnections).get(id) as WorkerLink;
    await replace(id);
    const { body } = await start(id);
    await offers.offerWaiting(link);
    await app.sql('UPDATE live_runs SET boot_id = $2 WHERE execution_id = $1', [body.id, worker.bootId]);
    await offers.offerCommitted(link, [body.id]);
    expect(worker.offers.all).toEqual([]);
  });
});

describe('a restart of a worker', () => {
  it('is allowed to administrators and to the only user of a private worker', async () => {
    const { id, key } = await makeWorker();
    await connect(key);
    const restart = (api: Api) => api('POST', `/joint-api/workers/${id}/restart`, { mode: 'drain' });
    expect((await restart(developer)).status).toBe(404);
    await assign(id, developer);
    await assign(id, other.api);
    expect((await restart(developer)).body.error_code).toBe('forbidden');
    await admin('DELETE', `/joint-api/workers/${id}/assignments/${other.id}`);
    await admin('PUT', `/joint-api/workers/${id}`, { public: true });
    expect((await restart(developer)).body.error_code).toBe('forbidden');
    await admin('PUT', `/joint-api/workers/${id}`, { public: false });
    expect((await restart(developer)).status).toBe(202);
    expect((await restart(admin)).status).toBe(202);
  });

  it('is refused with worker_offline if the worker is not connected', async () => {
    const { id } = await makeWorker();
    const answer = await admin('POST', `/joint-api/workers/${id}/restart`, { mode: 'stop' });
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ error_code: 'worker_offline' });
    expect(answer.body.error_message).toContain('is not connected');
  });

  it('is requested again when the same process reconnects, and is complete when a new process connects', async () => {
    const { id, key } = await makeWorker({ public: true });
    const first = await connect(key);
    await admin('POST', `/joint-api/workers/${id}/restart`, { mode: 'drain' });
    expect(await first.restarts.next()).toEqual({ mode: 'drain' });
    expect(await statusOf(id)).toBe('draining');
    first.close();
    const again = await connect(key, { boot_id: first.bootId });
    expect(await again.restarts.next()).toEqual({ mode: 'drain' });
    // A request with `stop` replaces one with `drain`, but not the other way round.
    for (const mode of ['stop', 'drain']) await admin('POST', `/joint-api/workers/${id}/restart`, { mode });
    expect(await again.restarts.next()).toEqual({ mode: 'stop' });
    expect(await statusOf(id)).toBe('restarting');
    again.close();
    await until(
      () => app.sql<{ replica_id: string | null }>('SELECT replica_id FROM worker_leases WHERE worker_id = $1', [id]),
      rows => rows[0]?.replica_id === null,
    );
    expect(await statusOf(id)).toBe('restarting');
    const next = await connect(key);
    expect(await statusOf(id)).toBe('online');
    expect(next.restarts.all).toEqual([]);
  });

  it('stops offers to the worker; its next process gets the runs that waited', async () => {
    const { id, key } = await makeWorker({ public: true });
    const first = await connect(key);
    await admin('POST', `/joint-api/workers/${id}/restart`, { mode: 'drain' });
    await first.restarts.next();
    const started = await developer('POST', START, { worker_id: id, skript_id: skriptId });
    expect(started.body).toMatchObject({ action: 'start', waiting_for: { reason: 'worker_restarting' } });
    first.close();
    const next = await connect(key);
    expect((await next.offers.next()).id).toBe(started.body.id);
    expect(first.offers.all).toEqual([]);
    await next.finish(started.body.id);
  });
});

describe('deleting a worker', () => {
  it('is refused while the worker has a live run', async () => {
    const { id, key } = await makeWorker({ public: true });
    const worker = await connect(key);
    const started = await developer('POST', START, { worker_id: id, skript_id: skriptId });
    await worker.offers.next();
    const refused = await admin('DELETE', `/joint-api/workers/${id}`);
    expect(refused.body).toMatchObject({ error_code: 'has_live_run', details: { runs: 1 } });
    await worker.finish(started.body.id);
    const closed = new Promise(resolve => worker.socket.once('disconnect', resolve));
    expect((await admin('DELETE', `/joint-api/workers/${id}`)).body.deleted).toMatchObject({ workers: 1 });
    await closed;
    await expect(connect(key)).rejects.toThrow('Unknown worker key');
  });

  it('ends the runs that wait for it with worker_withdrawn', async () => {
    const { id } = await makeWorker({ public: true });
    const started = await developer('POST', START, { worker_id: id, skript_id: skriptId });
    expect((await admin('DELETE', `/joint-api/workers/${id}`)).body.deleted).toEqual({
      workers: 1,
      worker_assignments: 0,
      waiting_runs: 1,
    });
    expect(await run(started.body.id)).toMatchObject({ action: 'error', error_code: 'worker_withdrawn' });
  });

  it('puts the accounts whose free worker it was into the queue for another one', async () => {
    const { id } = await makeWorker({ public: true });
    const stranger = randomUUID();
    await app.sql(`INSERT INTO users (id, username, role) VALUES ($1, 'stranger@example.com', 'developer')`, [
      stranger,
    ]);
    for (const user_id of [stranger, await userId(developer)]) {
      await admin('POST', `/joint-api/workers/${id}/assignments/addnew`, { user_id });
    }
    expect((await admin('DELETE', `/joint-api/workers/${id}`)).body.deleted).toMatchObject({ worker_assignments: 2 });
    expect(await app.sql('SELECT user_id FROM waiting_assignments')).toEqual([{ user_id: stranger }]);
  });
});

it('a run that waits for a worker ends without an offer if its owner loses access to the worker', async () => {
  const { id, key } = await makeWorker();
  await assign(id, developer);
  const started = await developer('POST', START, { worker_id: id, skript_id: skriptId });
  await admin('DELETE', `/joint-api/workers/${id}/assignments/${await userId(developer)}`);
  const worker = await connect(key);
  const ended = await until(
    () => run(started.body.id),
    ({ action }) => action !== 'start',
  );
  expect(ended).toMatchObject({ action: 'error', error_code: 'worker_withdrawn' });
  expect(worker.offers.all).toEqual([]);
});
