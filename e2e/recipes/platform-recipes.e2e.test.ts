import { rmSync } from 'node:fs';
// @ts-expect-error: the package has no types
import S3rver from 's3rver';
import { Platform } from '../harness/platform.js';
import { freePort } from '../harness/ports.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { until } from '../harness/until.js';

/** The lease is short, so that the platform soon knows that a killed worker is lost. */
const LEASE_MS = 5_000;
const ROWS = `const { dataset } = require('@trawl/storage');
module.exports = ({ from }) => dataset.push([{ n: from }, { n: from + 1 }]);`;

let platform: Platform;
beforeAll(async () => {
  const backendEnv = { TRAWL_LEASE_MS: String(LEASE_MS), TRAWL_OUTGOING_ALLOW: '127.0.0.1' };
  platform = await Platform.start({ backendEnv });
});
afterAll(() => platform?.close());

test('the recipe "S3 every night" sends the rows to the bucket, and then only the new ones', async () => {
  const developer = await platform.as('developer');
  const directory = temporaryFolder('trawl-s3-');
  const port = await freePort();
  const settings = { port, address: '127.0.0.1', silent: true, directory };
  const s3 = new S3rver({ ...settings, configureBuckets: [{ name: 'rows', configs: [] }] });
  await s3.run();
  try {
    const skript = await platform.skript('rows for S3', { 'main.js': ROWS });
    await platform.startRun(skript, { from: 1 });
    const databases = await developer('GET', '/joint-api/mongo-databases/list');
    const { status, body: exporter } = await developer('POST', '/joint-api/exporters/addnew', {
      name: 'Every night',
      db_id: databases.body.items[0].id,
      collection: `dataset_${skript}`,
      format: 'csv',
      fields: 'n',
      cron_span: '0 2 * * *',
      time_zone: 'Europe/Zagreb',
      destination: {
        type: 's3',
        url: `http://127.0.0.1:${port}`,
        region: 'us-east-1',
        bucket: 'rows',
        prefix: 'nightly/',
        access_key_id: 'S3RVER',
        secret_access_key: 'S3RVER',
        path_style: true,
      },
      only_new: true,
    });
    expect(status).toBe(201);
    const hour = new Date(exporter.next_at).toLocaleTimeString('en-GB', { timeZone: 'Europe/Zagreb' });
    expect(hour).toBe('02:00:00');

    /** Chooses "Export now" and returns the lines of the new file in the bucket. */
    const exportNow = async (): Promise<string[]> => {
      const { body: started } = await developer('POST', `/joint-api/exporters/${exporter.id}/run`);
      const done = await until(async () => {
        const { body } = await developer('GET', `/joint-api/exports/${started.id}`);
        return body.ended_at === null ? null : body;
      }, 'the export to end');
      expect([done.state, done.error_message]).toEqual(['done', null]);
      const object = await fetch(`http://127.0.0.1:${port}/rows/nightly/${done.file_name}`);
      return (await object.text()).trim().split('\n').sort();
    };
    expect(await exportNow()).toEqual(['1', '2', 'n']);
    await platform.startRun(skript, { from: 3 });
    expect(await exportNow()).toEqual(['3', '4', 'n']);
  } finally {
    await s3.close();
    rmSync(directory, { recursive: true, force: true });
  }
});

/** Stores an attempt. The first waits, so that its worker can be killed; the next ends. */
const ATTEMPTS = `const { mongo } = require('@trawl/storage');
module.exports = async () => {
  const earlier = await mongo.collection('attempts').findOne({});
  await mongo.collection('attempts').insertOne({ attempt: earlier ? 2 : 1 });
  if (!earlier) await new Promise(resolve => setTimeout(resolve, 600_000));
};`;

test('the recipe "worker_lost" has a lost run start again, and its rows stay', async () => {
  const developer = await platform.as('developer');
  const attempts = async () => (await platform.documents('attempts')).map(({ attempt }) => attempt).sort();
  const skript = await platform.skript('lost', { 'main.js': ATTEMPTS }, { retries: 1, retry_delay_ms: 0 });
  const first = await platform.begin(skript);
  await until(async () => (await attempts()).length === 1, 'the first attempt');

  await platform.worker.kill('SIGKILL');
  expect(await platform.ended(first)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
  const { body: worker } = await developer('GET', `/joint-api/workers/${platform.workerId}`);
  expect(worker.status).toBe('offline');
  expect(await attempts()).toEqual([1]);

  await platform.worker.start();
  const { body } = await developer('GET', `/joint-api/skript-execution/list?retry_of=${first}`);
  expect(await platform.ended(body.items[0].id)).toMatchObject({ action: 'end' });
  expect(await attempts()).toEqual([1, 2]);
});
