import { randomUUID } from 'node:crypto';
import { appForFile } from '../../../test/test-app.js';
import { makeWorkerAndSkript } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';
import { IdempotencyKeysService } from './idempotency-keys.service.js';

const { app, developer, admin } = appForFile();
let skriptId: string;

beforeAll(async () => {
  ({ skriptId } = await makeWorkerAndSkript(app, 'idempotent'));
});

const INPUTS = '/joint-api/inputs/addnew';
const newKey = () => ({ 'idempotency-key': randomUUID() });
const input = (name: string, val: unknown = 1) => ({ skript_id: skriptId, name: `input${name}.json`, val });
const keyRow = async (key: { 'idempotency-key': string }) =>
  (await app.sql<any>('SELECT * FROM idempotency_keys WHERE key = $1', [key['idempotency-key']]))[0];

it('a call with a repeated Idempotency-Key gets the first response, and creates nothing', async () => {
  const key = newKey();
  const first = await developer('POST', INPUTS, input('Once'), key);
  const again = await developer('POST', INPUTS, input('Once'), key);
  expect(first).toMatchObject({ status: 201, body: { name: 'inputOnce.json' } });
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
});

it('an Idempotency-Key recognises the same body, whatever the order of its fields', async () => {
  const key = newKey();
  const first = await developer('POST', INPUTS, input('Order', { a: 1, b: 2 }), key);
  const { val: _, ...rest } = input('Order');
  expect((await developer('POST', INPUTS, { val: { b: 2, a: 1 }, ...rest }, key)).body.id).toBe(first.body.id);
});

it('a repeated Idempotency-Key returns a secret that is shown only once, and it is stored encrypted', async () => {
  const key = newKey();
  const first = await admin('POST', '/joint-api/workers/addnew', { name: 'sealed', public: false }, key);
  const again = await admin('POST', '/joint-api/workers/addnew', { name: 'sealed', public: false }, key);
  expect(first.body.key).toMatch(/^trw_/);
  expect(again.body).toEqual(first.body);
  expect((await keyRow(key)).answer_sealed.toString('latin1')).not.toContain(first.body.key);
});

it('an Idempotency-Key with another body or route is refused, and keys of different users are separate', async () => {
  const key = newKey();
  await developer('POST', INPUTS, input('Mine'), key);
  for (const [path, body] of [
    [INPUTS, input('Mine', 2)],
    ['/joint-api/input-secrets/addnew', input('Mine')],
    ['/joint-api/skript-files/addnew', { skript_id: skriptId, name: 'a.js', content: '' }],
  ] as const) {
    expect(await developer('POST', path, body, key)).toMatchObject({
      status: 409,
      body: { error_code: 'idempotency_key_reused' },
    });
  }
  expect((await admin('POST', '/joint-api/skripts/addnew', { title: 'another user’s' }, key)).status).toBe(201);
});

it('a failed call stores no response for its Idempotency-Key, so that the next call is executed', async () => {
  const key = newKey();
  await developer('POST', INPUTS, input('Taken'));
  expect((await developer('POST', INPUTS, input('Taken'), key)).body.error_code).toBe('name_taken');
  expect(await keyRow(key)).toBeUndefined();
  expect((await developer('POST', INPUTS, input('Free'), key)).status).toBe(201);
});

it('calls with a repeated Idempotency-Key wait for the first call, however long it takes', async () => {
  const key = newKey();
  await app.sql('BEGIN');
  await app.sql('SELECT 1 FROM skripts WHERE id = $1 FOR UPDATE', [skriptId]);
  const first = developer('POST', INPUTS, input('Slow'), key);
  await until(
    () => keyRow(key),
    row => row !== undefined,
  );
  const again = [developer('POST', INPUTS, input('Slow'), key), developer('POST', INPUTS, input('Slow'), key)];
  const before = (await keyRow(key)).under_way_until;
  await app.part(IdempotencyKeysService).renew();
  expect((await keyRow(key)).under_way_until.getTime()).toBeGreaterThan(before.getTime());
  await app.sql('COMMIT');
  const { status, body } = await first;
  expect(status).toBe(201);
  for (const answer of await Promise.all(again)) {
    expect([answer.status, answer.body, answer.headers.get('idempotency-replayed')]).toEqual([201, body, 'true']);
  }
});

it('many concurrent calls with the same Idempotency-Key create one resource', async () => {
  const key = newKey();
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => developer('POST', '/joint-api/skripts/addnew', { title: 'race' }, key)),
  );
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
  expect(answers.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1);
});

it('a repeated Idempotency-Key gets an unknown outcome when the backend stopped during the first call', async () => {
  const key = newKey();
  await developer('POST', INPUTS, input('Cut'), key);
  await app.sql(
    `UPDATE idempotency_keys SET status = NULL, answer_sealed = NULL, under_way_until = now() - interval '1 second' WHERE key = $1`,
    [key['idempotency-key']],
  );
  expect(await developer('POST', INPUTS, input('Cut'), key)).toMatchObject({
    status: 409,
    body: { error_code: 'conflict', error_message: expect.stringContaining('is unknown') },
  });
});

it('an Idempotency-Key is forgotten after a day', async () => {
  const key = newKey();
  const { body } = await developer('POST', INPUTS, input('Old'), key);
  await developer('DELETE', `/joint-api/inputs/${body.id}`);
  const age = () =>
    app.sql(`UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = $1`, [
      key['idempotency-key'],
    ]);
  await age();
  const again = await developer('POST', INPUTS, input('Old'), key);
  expect([again.status, again.body.id === body.id]).toEqual([201, false]);
  await age();
  await app.part(IdempotencyKeysService).removeOld();
  expect(await keyRow(key)).toBeUndefined();
});

it('a malformed Idempotency-Key is refused', async () => {
  for (const key of ['a b', 'x'.repeat(201)]) {
    expect(await developer('POST', INPUTS, input('Bad'), { 'idempotency-key': key })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'Idempotency-Key' }] },
    });
  }
});

it('an account with too many stored responses cannot use new Idempotency-Keys, but can repeat stored ones', async () => {
  const [kept, old, refused] = [newKey(), newKey(), newKey()];
  const first = await developer('POST', INPUTS, input('Kept'), kept);
  await developer('POST', INPUTS, input('Before'), old);
  const fill = `INSERT INTO idempotency_keys (owner_id, key, request, status, answer_sealed, under_way_until)
    SELECT owner_id, 'large ' || n, '', 201, convert_to(repeat('x', $2), 'UTF8'), now()
    FROM idempotency_keys, generate_series(1, $3) n WHERE key = $1`;
  for (const [bytes, rows] of [
    [1024 * 1024, 16],
    [1, 10_000],
  ]) {
    await app.sql(fill, [kept['idempotency-key'], bytes, rows]);
    expect(await developer('POST', INPUTS, input('Refused'), refused)).toMatchObject({
      status: 429,
      body: { error_code: 'quota_exceeded', error_message: expect.stringContaining('expires after a day') },
    });
    expect((await developer('POST', INPUTS, input('Kept'), kept)).body).toEqual(first.body);
    expect((await admin('POST', '/joint-api/skripts/addnew', { title: `others ${rows}` }, newKey())).status).toBe(201);
    await app.sql(`UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key LIKE 'large %'`);
    const { body, status } = await developer('POST', INPUTS, input(`Room${rows}`), newKey());
    expect([status, body.error_code]).toEqual([201, undefined]);
    await app.sql(`DELETE FROM idempotency_keys WHERE key LIKE 'large %'`);
  }
  expect((await developer('POST', INPUTS, input('Refused'), refused)).status).toBe(201);
});
