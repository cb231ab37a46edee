import { randomUUID } from 'node:crypto';
import { type SessionMethod, STORAGE_METHODS, sessionOperationSchema } from '@trawl/contracts';
import { deserialize, serialize } from 'bson';
import { session } from '../../../../../packages/storage/src/index.js';
import type { StorageReply, StorageRequest } from '../../../../../packages/storage/src/protocol/storage-request.js';
import { describeSessions } from '../../../../../packages/storage/test/session-contract.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, type TestWorker } from '../../../../test/test-worker.js';
import { AuditLog } from '../../../platform/audit/audit-log.service.js';
import { SecretBox } from '../../../platform/common/secret-box.service.js';

const PORT = Symbol.for('trawl.storage');
const globals = globalThis as Record<symbol, unknown>;
const { app } = appForFile();
const fleet = fleetForEachTest(app);
let worker: TestWorker;
/** The run whose calls the library makes. */
let run: { id: string; token: string };
let calls = 0;

/** Starts a run that is live until `worker.finish`. */
async function liveRun(): Promise<typeof run> {
  await fleet.start({}, 'wait_ms=0&force=true');
  const { id, token } = await worker.offers.next();
  return { id, token };
}

/** Sends a storage call as a worker does. */
async function deliver(of: typeof run, op: object): Promise<StorageReply> {
  calls += 1;
  return worker.send('storage', { ...of, epoch: worker.welcome.epoch, op_id: calls, op: { resend: false, ...op } });
}

async function call(method: SessionMethod, args: object, more: { name?: string; of?: typeof run } = {}): Promise<any> {
  const { name = 'shop', of = run } = more;
  const reply = await deliver(of, { collection: name, method, args: serialize(args) });
  return 'error' in reply ? reply.error : deserialize(Buffer.from(reply.result));
}

beforeEach(async () => {
  worker = await fleet.connect();
  run = await liveRun();
  globals[PORT] = (request: StorageRequest) => deliver(run, request);
  await app.sql('DELETE FROM site_sessions');
});
afterAll(() => {
  delete globals[PORT];
});

describeSessions();

const value = (more: object = {}): string =>
  JSON.stringify({
    cookies: [
      {
        name: 'token',
        value: 'very-secret-token',
        domain: 'shop.example',
        path: '/',
        expires: -1,
        httpOnly: true,
        secure: true,
        sameSite: 'Lax',
      },
    ],
    origins: [{ origin: 'https://shop.example', localStorage: [], sessionStorage: [] }],
    userAgent: null,
    ...more,
  });
const cookie = JSON.parse(value()).cookies[0];
const saved = (version: string | null = null, more: object = {}) => ({
  value: value(),
  version,
  new_version: randomUUID(),
  holder: null,
  ...more,
});

it('stores the value encrypted, for the account alone', async () => {
  expect(await call('saveSession', saved())).toEqual({ saved: true });
  const [row] = await app.sql<{ id: string; value_sealed: Buffer; origins: string[] }>('SELECT * FROM site_sessions');
  expect(row?.value_sealed.includes('very-secret-token')).toBe(false);
  expect(app.part(SecretBox).open(row?.value_sealed as Buffer, String(row?.id))).toBe(value());
  expect(row?.origins).toEqual(['https://shop.example']);
  await app.sql(`UPDATE site_sessions SET owner_id = (SELECT id FROM users WHERE username = 'admin')`);
  expect(await call('openSession', { version: null, holder: null })).toEqual({
    version: null,
    taken: false,
  });
});

it('a lease is free when the run that holds it ends, and the next run logs in', async () => {
  const holder = randomUUID();
  expect(await call('openSession', { version: null, holder })).toMatchObject({ taken: true });
  const next = { of: await liveRun() };
  expect(await call('openSession', { version: null, holder: randomUUID() }, next)).toMatchObject({ taken: false });
  expect(await call('saveSession', saved(), next)).toEqual({ saved: false });
  await worker.finish(run.id, { action: 'error', error_code: 'killed' });
  expect(await call('openSession', { version: null, holder: randomUUID() }, next)).toMatchObject({ taken: true });
});

it('a lease is free when its time is over, unless its holder has renewed it', async () => {
  const holder = randomUUID();
  const runOut = () => app.sql(`UPDATE site_sessions SET lease_until = now() - interval '1 s'`);
  await call('openSession', { version: null, holder });
  await runOut();
  expect(await call('openSession', { version: null, holder })).toMatchObject({ taken: true });
  expect(await call('openSession', { version: null, holder: randomUUID() })).toMatchObject({ taken: false });
  await runOut();
  expect(await call('openSession', { version: null, holder: randomUUID() })).toMatchObject({ taken: true });
});

it('a session expires with its last cookie, or when its run said', async () => {
  const later = (minutes: number) => Math.floor(Date.now() / 1_000) + 60 * minutes;
  const ends = async (more: object) => {
    await app.sql('DELETE FROM site_sessions');
    expect(await call('saveSession', saved(null, { value: value(more) }))).toEqual({ saved: true });
    const [row] = await app.sql<{ expires_at: Date | null }>('SELECT expires_at FROM site_sessions');
    return row?.expires_at && row.expires_at.getTime() / 1_000;
  };
  const [first, last, limit] = [later(10), later(20), later(15)];
  const cookies = [first, last].map(expires => ({ ...cookie, name: `c${expires}`, expires }));
  const item = [{ name: 'token', value: 'abc' }];
  const origins = [{ origin: 'https://shop.example', localStorage: item, sessionStorage: [] }];
  expect(await ends({})).toBeNull();
  expect(await ends({ cookies })).toBe(last);
  expect(await ends({ cookies, expires: limit })).toBe(limit);
  expect(await ends({ cookies, origins })).toBeNull();
  expect(await ends({ cookies, origins, expires: limit })).toBe(limit);
});

it('a save that arrives again is answered as the first time, and one with an old version is refused', async () => {
  const first = saved();
  expect(await call('saveSession', first)).toEqual({ saved: true });
  expect(await call('saveSession', first)).toEqual({ saved: true });
  expect(await call('saveSession', saved())).toEqual({ saved: false });
  expect(await call('saveSession', saved(first.new_version))).toEqual({ saved: true });
});

it('a save that arrives again succeeds while another run logs in, which keeps its lease', async () => {
  const first = saved();
  expect(await call('saveSession', first)).toEqual({ saved: true });
  const next = { of: await liveRun() };
  const holder = randomUUID();
  expect(await call('openSession', { version: null, holder }, next)).toMatchObject({ taken: true });
  expect(await call('saveSession', first)).toEqual({ saved: true });
  expect(await call('openSession', { version: null, holder: randomUUID() })).toMatchObject({ taken: false });
  expect(await call('saveSession', saved(first.new_version, { holder }), next)).toEqual({ saved: true });
});

it('the audit log has one entry for each run that uses a session', async () => {
  await call('saveSession', saved());
  const other = await liveRun();
  for (const each of [run, other, run, other]) await call('openSession', { version: null, holder: null }, { of: each });
  await app.part(AuditLog).flush();
  const entries = await app.sql<{ fields: string[] }>(
    `SELECT fields, target_name FROM audit_log WHERE action = 'useSiteSession' AND target_id = (SELECT id::text FROM site_sessions)`,
  );
  expect(entries.flatMap(({ fields }) => fields).sort()).toEqual([`run ${run.id}`, `run ${other.id}`].sort());
});

it.each<[string, string, object, string]>([
  ['a name of a prototype', '__proto__', saved(), 'The name of a session must be'],
  [
    'a field of a prototype',
    'shop',
    saved(null, { value: value().replace('"cookies"', '"__proto__":{},"cookies"') }),
    'not valid',
  ],
  ['a value of another type', 'shop', saved(null, { value: value({ cookies: 'all' }) }), 'not valid at cookies'],
  ['a value that is not JSON', 'shop', saved(null, { value: '{' }), 'not JSON'],
  ['a value that is not text', 'shop', saved(null, { value: { cookies: [] } }), 'value'],
  [
    'an origin with a path',
    'shop',
    saved(null, {
      value: value({ origins: [{ origin: 'https://shop.example/a', localStorage: [], sessionStorage: [] }] }),
    }),
    'expected an origin',
  ],
  [
    'a cookie for another domain',
    'shop',
    saved(null, { value: value({ cookies: [{ ...cookie, domain: '.bank.example' }] }) }),
    'The cookie token is for .bank.example, which none of the origins of the session belongs to',
  ],
  ['a user agent with a NUL', 'shop', saved(null, { value: value({ userAgent: 'a\0b' }) }), 'in one line'],
  ['a version that is no id', 'shop', saved('1'), 'version'],
  [
    'a value that is too large',
    'shop',
    saved(null, { value: value({ userAgent: 'x'.repeat(400_000) }) }),
    'the limit is 393216',
  ],
])('refuses %s, and the run continues', async (_, name, args, message) => {
  expect(await call('saveSession', args, { name })).toMatchObject({
    code: expect.stringMatching(/^storage_(rejected|too_large)$/),
    message: expect.stringContaining(message),
  });
  expect(await app.sql('SELECT id FROM site_sessions')).toEqual([]);
  expect(await call('saveSession', saved())).toEqual({ saved: true });
});

it('refuses a further session when the account has no room for inputs', async () => {
  await app.sql(`UPDATE users SET quotas = '{"inputs": 1}' WHERE username = 'developer'`);
  await call('saveSession', saved());
  expect(await call('saveSession', saved(), { name: 'second' })).toMatchObject({
    code: 'storage_full',
    message: expect.stringContaining('1 input, input secret or session; you have 1'),
  });
  await app.sql(`UPDATE users SET quotas = '{}' WHERE username = 'developer'`);
});

it('an operation on a session is never one on a collection', () => {
  for (const method of STORAGE_METHODS) {
    expect(
      sessionOperationSchema.safeParse({ collection: 'a', method, args: new Uint8Array(), resend: false }).success,
    ).toBe(false);
  }
  expect(session('shop').name).toBe('shop');
});
