import { randomUUID } from 'node:crypto';
import { Decimal128, Long, ObjectId } from 'bson';
import { encodeMessage } from '../../../../../packages/storage/test/bson-messages.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest } from '../../../../test/test-worker.js';
import { MongoConnectionService } from '../../../data/storage/mongodb/mongo-connection.service.js';

const { app, developer, admin } = appForFile();
const fleet = fleetForEachTest(app);

/** A run that has stored rows and ended. Rows with `sku` have it as their key. */
async function endedRun(...rows: { sku?: string }[]): Promise<string> {
  const worker = await fleet.connect();
  await fleet.start({ input: randomUUID() });
  const { id, token, skript } = await worker.offers.next();
  const docs = rows.map(row => ({ _id: new ObjectId(), _run: id, _at: new Date(), ...row }));
  const keys = rows.map(({ sku }) => (sku === undefined ? null : JSON.stringify({ sku })));
  const op = { collection: `dataset_${skript.id}`, method: 'upsertRows', rows: rows.length, resend: false };
  if (rows.length > 0) {
    const args = encodeMessage({ docs, keys });
    const answer = await worker.send('storage', {
      epoch: worker.welcome.epoch,
      id,
      op_id: 1,
      token,
      op: { ...op, args },
    });
    expect(answer).toHaveProperty('result');
  }
  await worker.finish(id);
  return id;
}

const compare = (id: string, other: string, api = developer) =>
  api('GET', `/joint-api/skript-execution/${id}/comparison/${other}`);

it('a comparison of two runs lists rows that changed, came and went, by key and with plain values', async () => {
  const price = Decimal128.fromString('9.50');
  const was = await endedRun({ sku: 'a', price } as object, { sku: 'b' }, { sku: 'c' });
  const now = await endedRun({ sku: 'd' }, { sku: 'b' }, {
    sku: 'a',
    price: Long.fromNumber(8),
    when: new Date(5),
  } as object);
  expect((await compare(now, was)).body).toEqual({
    target: 'dataset',
    targets: ['dataset'],
    was: { compared: 3, complete: true },
    now: { compared: 3, complete: true },
    equal: 1,
    changed: 1,
    added: 1,
    gone: 1,
    matched_by: 'key',
    match_field: null,
    fields: [
      { field: 'price', rows: 1 },
      { field: 'when', rows: 1 },
    ],
    items: [
      {
        kind: 'changed',
        key: '{"sku":"a"}',
        fields: { price: { was: '9.50', now: 8 }, when: { was: null, now: '1970-01-01T00:00:00.005Z' } },
        row: { sku: 'a', price: 8, when: '1970-01-01T00:00:00.005Z' },
      },
      { kind: 'added', key: '{"sku":"d"}', fields: null, row: { sku: 'd' } },
      { kind: 'gone', key: '{"sku":"c"}', fields: null, row: { sku: 'c' } },
    ],
  });
});

it('runs without rows can be compared', async () => {
  const [one, other] = [await endedRun(), await endedRun()];
  expect((await compare(one, other)).body).toMatchObject({ equal: 0, items: [], now: { compared: 0, complete: true } });
});

it('runs of other accounts answer 404, as the run and as the other run', async () => {
  const own = await endedRun({ sku: 'a' });
  const strange = randomUUID();
  for (const [id, other, api] of [
    [own, own, admin],
    [own, strange, developer],
    [strange, own, developer],
  ] as const) {
    expect([(await compare(id, other, api)).status, id, other]).toEqual([404, id, other]);
  }
  const { body } = await fleet.start({ input: randomUUID() });
  await app.sql(`UPDATE executions SET owner_id = (SELECT id FROM users WHERE username = 'admin') WHERE id = $1`, [
    body.id,
  ]);
  expect((await compare(own, body.id)).status).toBe(404);
  expect((await compare(body.id, own)).status).toBe(404);
  expect((await compare(own, 'x')).body.error_code).toBe('validation_failed');
});

it('a comparison says that it leaves out rows of a run that has too many', async () => {
  const [now, was] = [await endedRun({ sku: 'a' }), await endedRun()];
  const { skript } = (await developer('GET', `/joint-api/skript-execution/${was}`)).body;
  const [database] = await app.sql<{ db_name: string }>(
    `SELECT db_name FROM mongo_databases d JOIN users u ON u.id = d.owner_id WHERE u.username = 'developer'`,
  );
  const db = await app.part(MongoConnectionService).db(String(database?.db_name));
  const text = 'x'.repeat(1024 * 1024);
  await db
    .collection(`dataset_${skript.id}`)
    .insertMany(Array.from({ length: 17 }, (_, n) => ({ _run: was, n, text })));
  expect((await compare(now, was)).body).toMatchObject({
    was: { compared: 15, complete: false },
    now: { compared: 1, complete: true },
    gone: 15,
    added: 1,
    items: [{ kind: 'added' }, { kind: 'gone', row: { n: 0, text: `${'x'.repeat(1_000)}…` } }, ...Array(14).fill({})],
  });
});
