import { type Api, startTestApp, type TestApp } from '../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet, TestWorker } from '../../test/test-worker.js';
import { until } from '../../test/until.js';
import { DispatcherService } from './dispatcher.service.js';

jest.setTimeout(60_000);

let app: TestApp;
let developer: Api;
let fleet: TestFleet;
let worker: TestWorker | undefined;
let count = 0;

beforeAll(async () => {
  app = await startTestApp();
  developer = await app.as('developer');
});
afterAll(() => app.close());

beforeEach(async () => {
  fleet = await makeWorkerAndSkript(app, `run-${++count}`);
});
afterEach(() => {
  worker?.close();
  worker = undefined;
});

const start = (body: object = {}) =>
  developer('POST', '/joint-api/execute-skript/single-worker/start?wait_ms=0', {
    worker_id: fleet.workerId,
    skript_id: fleet.skriptId,
    ...body,
  });

const execution = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;

const offline = (workerId: string) =>
  until(
    async () =>
      (await developer('GET', '/apps/workers/list?limit=1000')).body.items.find((row: any) => row.id === workerId),
    row => row.status === 'offline',
  );

describe('a run of a stranger', () => {
  const firstAccount = (is: boolean) => app.sql(`UPDATE users SET built_in = $1 WHERE username = 'developer'`, [is]);
  beforeEach(() => firstAccount(false));
  afterEach(() => firstAccount(true));

  it('that waits for a worker ends when that comes back without the full sandbox, and is not offered', async () => {
    (await TestWorker.connect(app, fleet.key, { sandbox: 'full' })).close();
    await offline(fleet.workerId);
    const waiting = [await start({ input: 1 }), await start({ input: 2 })].map(({ body }) => body.id);
    worker = await TestWorker.connect(app, fleet.key, { sandbox: 'none' });
    for (const id of waiting) {
      const ended = await until(
        () => execution(id),
        ({ action }) => action !== 'start',
      );
      expect(ended).toMatchObject({ action: 'error', error_code: 'start_failed' });
      expect(ended.error_stack).toContain('without the full sandbox');
    }
    expect(worker.offers.all).toEqual([]);
  });

  it('that waits for any worker goes on waiting for one with the full sandbox', async () => {
    const other = await makeWorkerAndSkript(app, `full-${count}`);
    (await TestWorker.connect(app, other.key, { sandbox: 'full' })).close();
    await offline(other.workerId);
    const { body } = await start({ worker_id: 'any' });
    worker = await TestWorker.connect(app, fleet.key, { sandbox: 'reduced' });
    await app.part(DispatcherService).dispatchAll();
    expect([worker.offers.all, (await execution(body.id)).action]).toEqual([[], 'start']);
    worker.close();
    worker = await TestWorker.connect(app, other.key, { sandbox: 'full' });
    expect((await worker.offers.next()).id).toBe(body.id);
  });

  it('is not offered again to a worker that says on the same boot that it contains less', async () => {
    const first = await TestWorker.connect(app, fleet.key, { sandbox: 'full' });
    first.answerToOffers = 'none';
    const { body } = await start();
    await first.offers.next();
    worker = await TestWorker.connect(app, fleet.key, { sandbox: 'none', boot_id: first.bootId });
    const ended = await until(
      () => execution(body.id),
      ({ action }) => action !== 'start',
    );
    expect([ended.error_code, worker.offers.all]).toEqual(['start_failed', []]);
  });
});
