import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, type TestWorker } from '../../../../test/test-worker.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);
let worker: TestWorker;

/** Makes a first start, which fills the cache for the next start. */
beforeEach(async () => {
  await developer('POST', `/joint-api/skripts/${fleet.skriptId}/bundle`);
  worker = await fleet.connect({ sandbox: 'full', slots: 8 });
  expect((await start()).status).toBe(202);
  await worker.offers.next();
});

const start = () => fleet.start({}, 'wait_ms=0&force=true');

describe('a start that uses cached data of an earlier start', () => {
  it('uses the current settings of the skript', async () => {
    await app.sql(`UPDATE skripts SET title = 'Renamed', time_limit_ms = 4321 WHERE id = $1`, [fleet.skriptId]);
    expect((await start()).body.skript.name).toBe('Renamed');
    expect(await worker.offers.next()).toMatchObject({ skript: { title: 'Renamed' }, limits: { time_ms: 4321 } });
  });

  it('builds a new bundle if files have changed', async () => {
    const [file] = (await developer('GET', `/joint-api/skript-files/list?skript_id=${fleet.skriptId}`)).body.items;
    await developer('PUT', `/joint-api/skript-files/${file.id}`, { content: 'module.exports = () => "changed"' });
    await start();
    const [first, second] = [worker.offers.all[0], await worker.offers.next()];
    expect(second.bundle).not.toBe(first?.bundle);
  });

  it('answers 404 if the skript has been deleted', async () => {
    await app.sql('DELETE FROM skripts WHERE id = $1', [fleet.skriptId]);
    expect((await start()).body).toMatchObject({
      error_code: 'not_found',
      error_message: expect.stringContaining('skript'),
    });
  });

  it('answers 404 if the account may no longer use the worker', async () => {
    await app.sql('UPDATE workers SET public = false WHERE id = $1', [fleet.workerId]);
    expect((await start()).body).toMatchObject({
      error_code: 'not_found',
      error_message: expect.stringContaining('worker'),
    });
  });

  it('waits if the key of the worker was replaced', async () => {
    await app.sql(`UPDATE workers SET key_hash = '\\x00' WHERE id = $1`, [fleet.workerId]);
    expect((await start()).body.waiting_for).not.toBeNull();
  });

  it('is refused if the worker no longer has the full sandbox', async () => {
    await app.sql(`UPDATE workers SET sandbox = 'reduced' WHERE id = $1`, [fleet.workerId]);
    await app.sql(`UPDATE users SET built_in = false WHERE username = 'developer'`);
    try {
      expect((await start()).body.error_code).toBe('forbidden');
    } finally {
      await app.sql(`UPDATE users SET built_in = true WHERE username = 'developer'`);
    }
  });
});
