import { type Api, startTestApp, type TestApp } from '../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet, TestWorker } from '../../test/test-worker.js';

jest.setTimeout(60_000);

let app: TestApp;
let developer: Api;
let fleet: TestFleet;
let worker: TestWorker;
let count = 0;

beforeAll(async () => {
  app = await startTestApp();
  developer = await app.as('developer');
});
afterAll(() => app.close());

/** A first start has looked up its skript and worker, for the next one. */
beforeEach(async () => {
  fleet = await makeWorkerAndSkript(app, `seen-${++count}`);
  await developer('POST', `/joint-api/skripts/${fleet.skriptId}/bundle`);
  worker = await TestWorker.connect(app, fleet.key, { sandbox: 'full', slots: 8 });
  expect((await start()).status).toBe(202);
  await worker.offers.next();
});
afterEach(() => worker.close());

const start = () =>
  developer('POST', '/joint-api/execute-skript/single-worker/start?wait_ms=0&force=true', {
    worker_id: fleet.workerId,
    skript_id: fleet.skriptId,
  });

describe('a start right after another one', () => {
  it('runs the skript as it is now', async () => {
    await app.sql(`UPDATE skripts SET title = 'Renamed', worker_response_timeout = 4321 WHERE id = $1`, [
      fleet.skriptId,
    ]);
    expect((await start()).body.skript.name).toBe('Renamed');
    expect(await worker.offers.next()).toMatchObject({ skript: { title: 'Renamed' }, limits: { time_ms: 4321 } });
  });

  it('builds what has changed', async () => {
    const [file] = (await developer('GET', `/joint-api/skript-files/list?skript_id=${fleet.skriptId}`)).body.items;
    await developer('PUT', `/joint-api/skript-files/${file.id}`, { content: 'module.exports = () => "changed"' });
    await start();
    const [first, second] = [worker.offers.all[0], await worker.offers.next()];
    expect(second.bundle).not.toBe(first?.bundle);
  });

  it('finds no skript that was deleted', async () => {
    await app.sql('DELETE FROM skripts WHERE id = $1', [fleet.skriptId]);
    expect((await start()).body).toMatchObject({
      error_code: 'not_found',
      error_message: expect.stringContaining('skript'),
    });
  });

  it('finds no worker that the account may not use any more', async () => {
    await app.sql('UPDATE workers SET public = false WHERE id = $1', [fleet.workerId]);
    expect((await start()).body).toMatchObject({
      error_code: 'not_found',
      error_message: expect.stringContaining('worker'),
    });
  });

  it('is not begun on a worker whose key was replaced', async () => {
    await app.sql(`UPDATE workers SET key_hash = '\\x00' WHERE id = $1`, [fleet.workerId]);
    expect((await start()).body.waiting_for).not.toBeNull();
  });

  it('is refused on a worker that does not contain it any more', async () => {
    await app.sql(`UPDATE workers SET sandbox = 'reduced' WHERE id = $1`, [fleet.workerId]);
    await app.sql(`UPDATE users SET built_in = false WHERE username = 'developer'`);
    try {
      expect((await start()).body.error_code).toBe('forbidden');
    } finally {
      await app.sql(`UPDATE users SET built_in = true WHERE username = 'developer'`);
    }
  });
});
