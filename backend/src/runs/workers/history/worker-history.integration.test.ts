import { appForFile } from '../../../../test/test-app.js';
import { TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { Cleanups } from '../../../platform/database/cleanups.service.js';
import { WorkerHistory } from './worker-history.service.js';

const { app, developer, admin } = appForFile();

const USAGE = {
  cpu: 0.25,
  memory_used: 3 * 2 ** 30,
  memory_total: 12 * 2 ** 30,
  disk_free: 5,
  disk_total: 9,
  event_loop_ms: 7,
};

test('the history of a worker has a sample for each five minutes, online or offline, and no old ones', async () => {
  const { id, key } = (await admin('POST', '/joint-api/workers/addnew', { name: 'sampled' })).body;
  const path = `/joint-api/workers/${id}/history`;
  const samples = async () => (await admin('GET', path)).body.samples;
  const sample = () => app.part(WorkerHistory).sample();
  /** Moves the sample of the connected worker back, as if time had passed. */
  const pass = (time: string) =>
    app.sql('UPDATE worker_samples SET at = at - $1::interval WHERE worker_id = $2 AND is_online', [time, id]);

  await sample();
  expect(await samples()).toEqual([]);

  const worker = await TestWorker.connect(app, key);
  await worker.send('beat', { epoch: worker.welcome.epoch, n: 1, free: 1, load: 0, usage: USAGE });
  await sample();
  await pass('5 minutes');
  worker.close();
  await until(
    async () => (await admin('GET', `/joint-api/workers/${id}`)).body.status,
    status => status === 'offline',
  );
  await sample();
  await sample();
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d[05]:00\.000Z$/);
  const both = [
    { at, is_online: true, runs: 0, cpu: 0.25, memory: 0.25 },
    { at, is_online: false, runs: 0, cpu: null, memory: null },
  ];
  // The application takes one, too, if five minutes end meanwhile.
  const all = await samples();
  expect([all[0], all.at(-1)]).toEqual(both);
  expect((await developer('GET', path)).status).toBe(404);

  await pass('24 hours');
  expect((await samples())[0]).toEqual(both[1]);
  await app.part(Cleanups).hourly();
  expect(await app.sql('SELECT 1 FROM worker_samples WHERE worker_id = $1 AND is_online', [id])).toEqual([]);
});
