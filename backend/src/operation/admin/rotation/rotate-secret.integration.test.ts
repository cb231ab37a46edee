import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { makeProxy } from '../../../../test/rows/make-proxy.js';
import { startTestApp, type TestApp } from '../../../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet } from '../../../../test/test-worker.js';
import { TokenResolver } from '../../../platform/auth/tokens/token-resolver.service.js';
import { SecretBox } from '../../../platform/common/secret-box.service.js';
import { OutboxService } from '../../../platform/mail/outbox.service.js';
import { rotateSecret } from './rotate-secret.js';
import { SEALED_VALUES } from './sealed-values.js';

const OLD = 'the old secret that is long enough';
const NEW = 'the new secret that is long enough';
const oldBox = new SecretBox({ secret: OLD, previousSecret: undefined });
const newBox = new SecretBox({ secret: NEW, previousSecret: undefined });

let app: TestApp;
let fleet: TestFleet;
const printed: string[] = [];

beforeEach(async () => {
  app = await startTestApp({ settings: { secret: OLD } });
  fleet = await makeWorkerAndSkript(app, 'rotation');
  printed.length = 0;
  jest.spyOn(process.stdout, 'write').mockImplementation(text => printed.push(String(text)) > 0);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await app.close();
});

const rotate = () => rotateSecret({ postgresUrl: app.config.postgresUrl, secret: NEW, previousSecret: OLD }, 0);

async function restartWith(settings: { secret: string; previousSecret: string | undefined }): Promise<void> {
  await app.stop();
  Object.assign(app.config, settings);
  await app.start();
}

/** Creates at least one value of each kind. */
async function makeValues(): Promise<void> {
  const developer = await app.as('developer');
  const create = async (path: string, body: object, headers = {}) => {
    const answer = await developer('POST', path, body, headers);
    if (answer.status >= 400) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.id;
  };
  await create('/joint-api/input-secrets/addnew', {
    skript_id: fleet.skriptId,
    name: 'inputSecret.json',
    val: 's3cret',
  });
  const cookies = 'shop.example\tFALSE\t/\tTRUE\t0\ttoken\tlantern';
  const session = { name: 'shop', origins: ['https://shop.example'], content: cookies };
  await create('/joint-api/sessions/import', session);
  await makeProxy(developer, 'gate');
  const url = 'https://receiver.invalid/hook';
  const webhook = await create('/joint-api/webhooks/addnew', { name: 'hook', url, events: ['worker.lost'] });
  await developer('POST', `/joint-api/webhooks/${webhook}/secret`);
  await create('/joint-api/keys/addnew', { name: 'key', scope: 'read' }, { 'idempotency-key': 'once' });
  const [database] = (await developer('GET', '/joint-api/mongo-databases/list')).body.items;
  const destination = { type: 'webhook', url: 'https://receiver.invalid/files' };
  const source = { db_id: database.id, collection: 'books', destination };
  await create('/joint-api/exporters/addnew', { name: 'exporter', ...source });
  await create('/joint-api/exports/addnew', source);
  const { body } = await fleet.start({ inputSecret: { token: 'of a run' } });
  const answer = randomUUID();
  await app.sql('UPDATE live_runs SET answers = $2 WHERE execution_id = $1', [
    body.id,
    JSON.stringify({ [answer]: { seq: 1, sealed: oldBox.seal('an answer', answer).toString('base64') } }),
  ]);
  await app.part(DataSource).transaction(async manager => {
    const mail = { to: 'ada@example.com', subject: 'Hello', text: 'A text.' };
    await app.part(OutboxService).add(manager, 'activation', mail as never, 1);
    await manager.query(`UPDATE outgoing_mails SET next_attempt_at = 'infinity'`);
  });
}

/** Decrypts all values of all kinds. @throws if one is encrypted with another secret. */
async function decryptAll(box: SecretBox): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const { name, read } of SEALED_VALUES) {
    const rows = await app.sql<{ key: string; row_id: string; sealed: Buffer }>(`${read} ORDER BY 1`);
    all[name] = rows.map(({ row_id, sealed }) => box.open(sealed, row_id));
  }
  return all;
}

it('a rotation of the secret encrypts every kind of value with the new secret, and changes nothing else', async () => {
  await makeValues();
  const before = await decryptAll(oldBox);
  for (const [kind, values] of Object.entries(before)) expect([kind, values.length]).not.toEqual([kind, 0]);
  const [exporter] = await app.sql<{ params: object }>('SELECT params FROM exporters');

  await restartWith({ secret: NEW, previousSecret: OLD });
  expect(await decryptAll(oldBox)).toEqual(before);
  // The first rotation is killed when it has encrypted some values.
  jest.mocked(process.stdout.write).mockImplementationOnce(() => {
    throw new Error('killed');
  });
  await expect(rotate()).rejects.toThrow('killed');
  expect(await rotate()).toBe(0);
  expect(await decryptAll(newBox)).toEqual(before);
  expect(printed.join('')).toContain('Checked: nothing is encrypted with the previous secret any more.');
  const [after] = await app.sql<{ params: object }>('SELECT params FROM exporters');
  const destination = { type: 'webhook', target: expect.any(String), sealed: expect.any(String) };
  expect(after?.params).toEqual({ ...exporter?.params, destination });

  await restartWith({ secret: NEW, previousSecret: undefined });
  const worker = await fleet.connect();
  expect((await worker.offers.next()).input_secret).toBe('{"token":"of a run"}');
  worker.close();
});

it('sessions, live runs and idempotency keys stay valid while both secrets of a rotation are set', async () => {
  const developer = await app.as('developer');
  const worker = await fleet.connect();
  await fleet.start({ input: 'same' }, 'wait_ms=0', { 'idempotency-key': 'once' });
  const { token } = await worker.offers.next();
  const headers = { 'idempotency-key': 'of-a-key' };
  const first = await developer('POST', '/joint-api/keys/addnew', { name: 'key', scope: 'read' }, headers);
  const { jwtToken } = (await app.anonymous('POST', '/panel/login', app.credentials('developer'))).body;
  await restartWith({ secret: NEW, previousSecret: OLD });
  // Live connections and waiting calls check their token in this way, and no call has put it into the cache yet.
  expect(await app.part(TokenResolver).resolve(jwtToken)).toMatchObject({ username: 'developer' });
  await rotate();
  expect((await developer('GET', '/joint-api/account')).status).toBe(200);
  const repeated = await developer('POST', '/joint-api/keys/addnew', { name: 'key', scope: 'read' }, headers);
  expect(repeated.body).toEqual(first.body);
  expect((await fleet.start({ input: 'same' })).body.error_code).toBe('already_running');
  expect((await fleet.start({ input: 'same' }, 'wait_ms=0', { 'idempotency-key': 'once' })).status).toBe(202);
  const again = await app.anonymous('POST', '/panel/login', app.credentials('developer'));
  expect((await app.bearer(again.body.jwtToken)('GET', '/joint-api/account')).status).toBe(200);
  expect(token).toBeDefined();
  worker.close();

  await restartWith({ secret: NEW, previousSecret: undefined });
  expect((await developer('GET', '/joint-api/account')).status).toBe(401);
  expect((await app.bearer(again.body.jwtToken)('GET', '/joint-api/account')).status).toBe(200);
});

it('a rotation of the secret is refused while a running backend has only one of the secrets', async () => {
  await expect(rotate()).rejects.toThrow('A running backend does not have both secrets.');
  const [row] = await app.sql<{ previous_digest: Buffer | null }>('SELECT previous_digest FROM platform_secret');
  expect(row?.previous_digest).toBeNull();
});

it('a rotation of the secret is refused with secrets of another platform, or without a previous secret', async () => {
  await app.stop();
  const { postgresUrl } = app.config;
  const other = 'another secret that is long enough';
  await expect(rotateSecret({ postgresUrl, secret: NEW, previousSecret: other }, 0)).rejects.toThrow(
    'Neither TRAWL_SECRET nor TRAWL_SECRET_PREVIOUS is the secret of this database.',
  );
  await expect(rotateSecret({ postgresUrl, secret: NEW, previousSecret: undefined }, 0)).rejects.toThrow(
    'There is no previous secret',
  );
  await app.start();
});

it('a rotation of the secret exits with 1 if neither secret can decrypt a value', async () => {
  await makeValues();
  await app.sql(`UPDATE input_secrets SET val_sealed = '\\x00112233445566778899aabbccddeeff00112233445566778899aabb'`);
  await restartWith({ secret: NEW, previousSecret: OLD });
  expect(await rotate()).toBe(1);
});
