import { byteSize, QUOTAS, type QuotaName } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { appForFile } from '../../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet } from '../../../test/test-worker.js';
import { QuotasService } from './quotas.service.js';

const START = '/joint-api/execute-skript/single-worker/start';
const AT_ONCE = 20;

const { app, developer } = appForFile();
let fleet: TestFleet;
let ownerId: string;

const allow = (quotas: Partial<Record<QuotaName, number>>) =>
  app.sql('UPDATE users SET quotas = $2 WHERE id = $1', [ownerId, JSON.stringify(quotas)]);

/** Makes concurrent calls. Returns the number of responses for each status. */
async function atOnce(call: (n: number) => Promise<{ status: number }>): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => call(n)));
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

beforeAll(async () => {
  fleet = await makeWorkerAndSkript(app, 'quotas');
  ownerId = (await developer('GET', '/joint-api/account')).body.id;
});
afterEach(() => allow({}));

const start = (body?: object, headers?: Record<string, string>) => fleet.start(body, 'wait_ms=0&force=true', headers);

describe('concurrent calls', () => {
  it('do not exceed the quota of skripts', async () => {
    const [{ n: before } = { n: 0 }] = await app.sql<{ n: number }>('SELECT count(*)::int AS n FROM skripts');
    await allow({ skripts: before + 5 });
    const counts = await atOnce(n => developer('POST', '/joint-api/skripts/addnew', { title: `at once ${n}` }));
    expect(counts).toEqual({ 201: 5, 429: AT_ONCE - 5 });
  });

  it('do not exceed the quota of inputs and secrets, even for different skripts', async () => {
    const titles = Array.from({ length: AT_ONCE }, (_, n) => `inputs ${n}`);
    const skripts = await Promise.all(titles.map(title => developer('POST', '/joint-api/skripts/addnew', { title })));
    await allow({ inputs: 5 });
    const counts = await atOnce(n =>
      n % 2
        ? developer('POST', '/joint-api/inputs/addnew', { skript_id: skripts[n]?.body.id, name: 'input.json', val: n })
        : developer('POST', '/joint-api/input-secrets/addnew', {
            skript_id: skripts[n]?.body.id,
            name: 'inputSecret.json',
            val: n,
          }),
    );
    expect(counts).toEqual({ 201: 5, 429: AT_ONCE - 5 });
  });

  it('do not exceed the quota of file bytes, and an update counts only its growth', async () => {
    const used = (await app.sql<{ n: number }>('SELECT sum(size)::int AS n FROM skript_files'))[0]?.n as number;
    const file = (n: number) => ({ skript_id: fleet.skriptId, name: `lib/${n}.js`, content: 'x'.repeat(100) });
    await allow({ file_bytes: used + 520 });
    const counts = await atOnce(n => developer('POST', '/joint-api/skript-files/addnew', file(n)));
    expect(counts).toEqual({ 201: 5, 413: AT_ONCE - 5 });
    const [kept] = (
      await developer('GET', `/joint-api/skript-files/list?name_contains=lib&skript_id=${fleet.skriptId}`)
    ).body.items;
    const change = (length: number) =>
      developer('PUT', `/joint-api/skript-files/${kept.id}`, { content: 'y'.repeat(length) });
    expect((await change(120)).status).toBe(200);
    const refused = await change(121);
    expect(refused.status).toBe(413);
    expect(refused.body).toMatchObject({
      error_code: 'payload_too_large',
      error_message: expect.stringContaining(`your quota of ${byteSize(used + 520)} for skript files`),
      details: { quota: 'file_bytes', limit: used + 520, used: used + 520 },
    });
    expect((await change(10)).status).toBe(200);
  });

  it('do not exceed the quota of live runs, including waiting ones', async () => {
    await allow({ runs_at_once: 5 });
    expect(await atOnce(n => start({ input: n }))).toEqual({ 202: 5, 429: AT_ONCE - 5 });
    const refused = await start();
    expect(refused.body.details).toEqual({ quota: 'runs_at_once', limit: 5, used: 5 });
    expect(refused.body.error_message).toContain('5 live runs');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await developer('GET', `/joint-api/execute-skript/single-worker/stop?skript_id=${fleet.skriptId}`);
    expect((await start()).status).toBe(202);
  });

  it('do not exceed the quota of waiting runs, also of an account without other limits', async () => {
    await developer('GET', `/joint-api/execute-skript/single-worker/stop?skript_id=${fleet.skriptId}`);
    await allow({ waiting_runs: 5 });
    expect(await atOnce(n => start({ input: n }))).toEqual({ 202: 5, 429: AT_ONCE - 5 });
    const refused = await start();
    expect(refused.body).toMatchObject({
      error_code: 'quota_exceeded',
      error_message: expect.stringContaining('5 waiting runs'),
      details: { quota: 'waiting_runs', limit: 5, used: 5 },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const worker = await fleet.connect({ slots: 20 });
    for (let n = 0; n < 5; n += 1) await worker.offers.next();
    expect((await start({ input: 'at once' })).status).toBe(202);
    worker.close();
    await app.sql('DELETE FROM live_runs');
  });

  it('do not exceed the daily quota of runs, however short they are', async () => {
    await app.sql('DELETE FROM live_runs');
    await app.sql('DELETE FROM executions');
    await allow({ runs_per_day: 5 });
    expect(await atOnce(n => start({ input: n }))).toEqual({ 202: 5, 429: AT_ONCE - 5 });
    await app.sql('DELETE FROM live_runs');
    await app.sql('DELETE FROM executions');
    const refused = await start();
    expect(refused.body).toMatchObject({
      error_code: 'quota_exceeded',
      details: { quota: 'runs_per_day', limit: 5, used: 5 },
    });
    const untilMidnight = Number(refused.headers.get('retry-after'));
    expect(untilMidnight).toBeGreaterThan(0);
    expect(untilMidnight).toBeLessThanOrEqual(86_400);
    await app.sql(`UPDATE daily_runs SET day = day - 1`);
    expect((await start()).status).toBe(202);
  });
});

describe('the daily quota of runs', () => {
  it('counts starts, but no retries, even from before the account had a limit', async () => {
    for (const table of ['live_runs', 'executions', 'daily_runs']) await app.sql(`DELETE FROM ${table}`);
    const { body } = await start();
    await app.sql(
      `INSERT INTO executions (id, owner_id, skript_id, skript_name, skript_category, bundle_hash, action, retry_of, attempt)
       SELECT $2, owner_id, skript_id, skript_name, skript_category, bundle_hash, action, id, 2 FROM executions WHERE id = $1`,
      [body.id, uuidv7()],
    );
    await allow({ runs_per_day: 2 });
    expect((await app.part(QuotasService).uses(ownerId)).runs_per_day).toEqual({ limit: 2, used: 1 });
    expect([(await start()).status, (await start()).status]).toEqual([202, 429]);
  });
});

describe('a start with a limit of live runs', () => {
  it('gets 409 if the same run is already live, and does not count towards the daily quota', async () => {
    for (const table of ['live_runs', 'executions', 'daily_runs']) await app.sql(`DELETE FROM ${table}`);
    await allow({ runs_at_once: 1, runs_per_day: 2 });
    const unforced = () =>
      developer('POST', `${START}?wait_ms=0`, { worker_id: fleet.workerId, skript_id: fleet.skriptId, input: 'same' });
    const counts = await atOnce(unforced);
    expect(counts).toEqual({ 202: 1, 409: AT_ONCE - 1 });
    expect(await app.sql('SELECT runs FROM daily_runs')).toEqual([{ runs: 1 }]);
  });

  it('returns the first run for a repeated Idempotency-Key even if the limit is reached', async () => {
    await app.sql('DELETE FROM live_runs');
    await allow({ runs_at_once: 1 });
    const key = { 'idempotency-key': 'quota-1' };
    const first = await start({}, key);
    expect(first.status).toBe(202);
    expect((await start()).status).toBe(429);
    expect((await start({}, key)).body.id).toBe(first.body.id);
  });
});

describe('quotas', () => {
  it('are unlimited for built-in accounts, except for waiting runs, and have defaults for other accounts', async () => {
    const limitOf = async (quota: QuotaName) => {
      const [row] = await app.sql<{ n: string }>('SELECT quota_limit(u, $2, $3) AS n FROM users u WHERE id = $1', [
        ownerId,
        quota,
        QUOTAS[quota],
      ]);
      return Number(row?.n);
    };
    expect(await limitOf('skripts')).toBe(0);
    expect(await limitOf('waiting_runs')).toBe(QUOTAS.waiting_runs);
    await app.sql('UPDATE users SET built_in = false WHERE id = $1', [ownerId]);
    await allow({ inputs: 0, databases: 7 });
    expect(await limitOf('skripts')).toBe(QUOTAS.skripts);
    expect(await limitOf('inputs')).toBe(0);
    expect(await limitOf('databases')).toBe(7);
    await app.sql('UPDATE users SET built_in = true WHERE id = $1', [ownerId]);
  });

  it('are shown in the account with their current usage', async () => {
    await allow({ skripts: 1_000 });
    const [{ n: skripts } = { n: 0 }] = await app.sql<{ n: number }>('SELECT count(*)::int AS n FROM skripts');
    const { quotas } = (await developer('GET', '/joint-api/account')).body;
    expect(Object.keys(quotas).sort()).toEqual(Object.keys(QUOTAS).sort());
    expect(quotas.skripts).toEqual({ limit: 1_000, used: skripts });
    expect(quotas.databases).toEqual({ limit: null, used: 1 });
  });

  it('are checked without blocking other calls of the account', async () => {
    await allow({ skripts: 1_000 });
    const { manager } = app.part(DataSource);
    await manager.transaction(async transaction => {
      await app.part(QuotasService).roomForSkript(transaction, ownerId);
      // A sign-in and a foreign key take this lock. `NOWAIT` makes the statement fail if it would have to wait.
      await app.sql('SELECT 1 FROM users WHERE id = $1 FOR KEY SHARE NOWAIT', [ownerId]);
    });
  });
});
