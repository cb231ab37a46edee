import type { StorageMethod } from '@trawl/contracts';
import { encodeMessage } from '../../../../../packages/storage/test/bson-messages.js';
import { appForFile } from '../../../../test/test-app.js';
import { holdNotifications } from '../../../../test/test-mails.js';
import { StorageOperationsService } from '../runs/storage-operations.service.js';
import { StorageUsageService } from './storage-usage.service.js';

const { app, developer } = appForFile();
let ownerId: string;
let path: string;

beforeAll(async () => {
  ownerId = (await developer('GET', '/joint-api/account')).body.id;
  await holdNotifications(app, ownerId);
  const [database] = (await developer('GET', '/joint-api/mongo-databases/list')).body.items;
  path = `/joint-api/mongo/${database.id}/rows`;
});

const allow = (bytes: number) =>
  app.sql('UPDATE users SET quotas = $2 WHERE id = $1', [ownerId, JSON.stringify({ storage_bytes: bytes })]);
const used = async () => (await developer('GET', '/joint-api/account')).body.quotas.storage_bytes.used;
const measure = () => app.part(StorageUsageService).measureChanged();
const run = (method: StorageMethod, args: object) =>
  app.part(StorageOperationsService).run(ownerId, '0198a1c2-1111-7000-8000-000000000001', {
    collection: 'rows',
    method,
    args: encodeMessage(args),
    resend: false,
  });
const insert = (chars: number) => developer('POST', `${path}/addnew`, { text: 'x'.repeat(chars) });

it('Trawl measures an account’s storage after writes and deletions', async () => {
  expect(await used()).toBe(0);
  for (let n = 0; n < 5; n++) expect((await insert(100_000)).status).toBe(201);
  await measure();
  const before = await used();
  expect(before).toBeGreaterThan(500_000);
  await developer('POST', `${path}/delete-many`, { filter: { text: { $exists: true } } });
  await measure();
  expect(await used()).toBeLessThan(before - 400_000);
});

it('an account at its storage quota can delete but not store, by the API or by runs', async () => {
  // Restart the backend, because it caches the limit.
  await allow(300_000);
  await app.stop();
  await app.start();
  const answers = [];
  // Exceed the quota before the next measurement.
  for (let n = 0; n < 5; n++) answers.push(await insert(100_000));
  const refused = answers.filter(({ status }) => status === 413);
  expect(refused.length).toBeGreaterThanOrEqual(2);
  expect(refused[0]?.body).toMatchObject({
    error_code: 'payload_too_large',
    details: { quota: 'storage_bytes', limit: 300_000 },
  });
  const docs = [{ _id: 'one', text: 'x'.repeat(200_000) }];
  expect(await run('insertMany', { docs, ordered: true })).toMatchObject({
    error: { code: 'storage_full', message: expect.stringContaining('quota of 293 KiB') },
  });
  expect(await run('deleteMany', { filter: {} })).toHaveProperty('result');
  await measure();
  expect(await run('insertMany', { docs, ordered: true })).toHaveProperty('result');
});

/**
 * Stores fifty documents, each with a text of `chars` characters. Measures them and sets the account's quota to `limit`
 * bytes.
 */
async function fill(chars: number, limit: number) {
  const small = { kind: 'small', text: 'x'.repeat(chars), list: [{}, {}] };
  await run('deleteMany', { filter: {} });
  await measure();
  await allow(limit);
  await app.stop();
  await app.start();
  const docs = Array.from({ length: 50 }, (_, n) => ({ _id: n, n, ...small }));
  expect(await run('insertMany', { docs, ordered: true })).toHaveProperty('result');
  await measure();
}

const text = 'x'.repeat(20_000);
it.each<[string, object]>([
  ['a field', { $set: { f: text } }],
  ['every item of a list', { $set: { 'list.$[].f': text } }],
])('an update of %s counts its growth for each matching document against the storage quota', async (_where, update) => {
  await fill(100, 300_000);
  const body = { filter: { kind: 'small' }, update };
  expect(await developer('POST', `${path}/update-many`, body)).toMatchObject({
    status: 413,
    body: { details: { quota: 'storage_bytes' } },
  });
  expect(await run('updateMany', { ...body, upsert: false })).toMatchObject({ error: { code: 'storage_full' } });
  const few = { filter: { n: { $lt: 3 } }, update };
  expect(await developer('POST', `${path}/update-many`, few)).toMatchObject({ status: 200, body: { modified: 3 } });
  const less = { filter: { kind: 'small' }, update: { $unset: { text: '' } } };
  expect(await developer('POST', `${path}/update-many`, less)).toMatchObject({ status: 200, body: { modified: 50 } });
});

it('the result of an update pipeline counts against the storage quota, and so does an index', async () => {
  await fill(2_000, 300_000);
  const update = [{ $set: { f: { $concat: Array(5).fill('$text') } } }];
  expect(await run('updateMany', { filter: {}, update, upsert: false })).toMatchObject({
    error: { code: 'storage_full' },
  });
  expect(await run('updateMany', { filter: { n: 1 }, update, upsert: false })).toHaveProperty('result');
  await fill(2_000, 150_000);
  const index = (keys: object) =>
    developer('POST', `${path.replace('/mongo/', '/mongo-collections/')}/indexes/addnew`, { keys });
  expect(await index({ text: 1 })).toMatchObject({ status: 413 });
  expect(await run('createIndex', { keys: { text: 1 } })).toMatchObject({ error: { code: 'storage_full' } });
  expect(await index({ n: 1 })).toMatchObject({ status: 201 });
});

it('an account is warned once when its storage reaches 80 % of the quota, and again only after it was below 70 %', async () => {
  await app.sql('DELETE FROM notification_emails');
  const warnings = async () =>
    (
      await app.sql<{ quota: any }>(
        `SELECT payload -> 'quota' AS quota FROM notification_emails WHERE owner_id = $1 AND event = 'quota.warning'`,
        [ownerId],
      )
    ).map(({ quota }) => quota);
  const save = (bytes: number) => app.sql('SELECT save_storage_usage($1, $2, 1000)', [ownerId, bytes]);
  await allow(1_000);
  await save(600);
  await save(799);
  expect(await warnings()).toEqual([]);
  for (const bytes of [800, 950, 750, 900]) await save(bytes);
  expect(await warnings()).toEqual([{ name: 'storage_bytes', limit: 1_000, used: 800 }]);
  await save(699);
  await save(810);
  expect(await warnings()).toHaveLength(2);
});

it('an account near its storage quota gets a warning by e-mail after a measurement', async () => {
  await fill(2_000, 150_000);
  await allow(110_000);
  const emails = () =>
    app.sql(`SELECT FROM notification_emails WHERE owner_id = $1 AND event = 'quota.warning'`, [ownerId]);
  await app.sql('UPDATE storage_usage SET is_warned = false');
  await app.sql('DELETE FROM notification_emails');
  app.part(StorageUsageService).markChanged(ownerId);
  await measure();
  expect(await emails()).toHaveLength(1);
});

it('Trawl measures the storage of other accounts when the measurement of one account fails', async () => {
  const usage = app.part(StorageUsageService);
  const [admin] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'admin'`);
  const adminId = String(admin?.id);
  let isReachable = false;
  usage.addMeter(async id => {
    if (id === ownerId && !isReachable) throw new Error('unreachable');
    return 5_000_000;
  });
  usage.markChanged(ownerId);
  usage.markChanged(adminId);
  await measure();
  const measured = async () =>
    (await app.sql<{ owner_id: string }>('SELECT owner_id FROM storage_usage WHERE bytes >= 5000000')).map(
      ({ owner_id }) => owner_id,
    );
  expect(await measured()).toEqual([adminId]);
  isReachable = true;
  await measure();
  expect((await measured()).sort()).toEqual([ownerId, adminId].sort());
});
