import { randomUUID } from 'node:crypto';
import { type Answer, type Api, appForFile } from '../../../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet, TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';

const EXECUTE = '/joint-api/execute-skript';

const { app, developer, admin } = appForFile();
let fleet: TestFleet;
let worker: TestWorker;

beforeAll(async () => {
  fleet = await makeWorkerAndSkript(app, 'waits');
  worker = await fleet.connect();
});
afterAll(() => worker.close());

async function newKey(scope: string): Promise<{ id: string; api: Api }> {
  const { body } = await developer('POST', '/joint-api/keys/addnew', { name: randomUUID(), scope });
  return { id: body.id, api: app.bearer(body.key) };
}

const HERE = (id: string) => developer('DELETE', `/joint-api/keys/${id}`);
const ELSEWHERE = (id: string) => app.sql('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [id]);

const ended = ({ status, body }: Answer) => {
  expect([status, body.error_code]).toEqual([401, 'unauthorized']);
  expect(JSON.stringify(body)).not.toContain('done');
};

describe('after its API key is revoked, a call that waits', () => {
  it.each([
    ['on this backend', HERE],
    ['elsewhere', ELSEWHERE],
  ])('for the run that it started gets 401 at once (key revoked %s); the run continues', async (_, revoke) => {
    const { id, api } = await newKey('run');
    const body = { worker_id: fleet.workerId, skript_id: fleet.skriptId };
    const answer = api('POST', `${EXECUTE}/single-worker/start`, body);
    const offer = await worker.offers.next();
    await revoke(id);
    ended(await answer);
    expect(await worker.finish(offer.id)).toEqual({ result: 'ok' });
    expect((await developer('GET', `/joint-api/skript-execution/${offer.id}`)).body.action).toBe('end');
  });

  it('for the end of a run that it reads gets 401', async () => {
    const { id, api } = await newKey('read');
    const { body } = await fleet.start();
    await worker.offers.next();
    const answer = api('GET', `/joint-api/skript-execution/${body.id}?wait_ms=30000`);
    await until(
      () => app.sql<{ used: boolean }>('SELECT last_used_at IS NOT NULL AS used FROM api_keys WHERE id = $1', [id]),
      ([row]) => row?.used === true,
    );
    await HERE(id);
    ended(await answer);
    await worker.finish(body.id);
  });

  it('for the ends of runs on several workers gets 401', async () => {
    const { id, api } = await newKey('run');
    const answer = api('POST', `${EXECUTE}/multi-worker/start`, {
      worker_ids: [fleet.workerId],
      skript_id: fleet.skriptId,
    });
    const offer = await worker.offers.next();
    await HERE(id);
    ended(await answer);
    await worker.finish(offer.id);
  });

  it('for an earlier call with the same Idempotency-Key gets 401', async () => {
    const { id, api } = await newKey('all');
    const idempotency = { 'idempotency-key': randomUUID() };
    const input = { skript_id: fleet.skriptId, name: 'inputSlow.json', val: 'done' };
    await app.sql('BEGIN');
    await app.sql('SELECT 1 FROM skripts WHERE id = $1 FOR UPDATE', [fleet.skriptId]);
    try {
      const first = developer('POST', '/joint-api/inputs/addnew', input, idempotency);
      await until(
        () => app.sql('SELECT 1 FROM idempotency_keys'),
        rows => rows.length === 1,
      );
      const again = api('POST', '/joint-api/inputs/addnew', input, idempotency);
      await until(
        () => app.sql<{ used: boolean }>('SELECT last_used_at IS NOT NULL AS used FROM api_keys WHERE id = $1', [id]),
        ([row]) => row?.used === true,
      );
      await HERE(id);
      ended(await again);
      await app.sql('COMMIT');
      expect((await first).status).toBe(201);
    } finally {
      await app.sql('ROLLBACK');
    }
  });
});

describe('a call that reads a run with wait_ms', () => {
  const read = (id: string, waitMs: number) => developer('GET', `/joint-api/skript-execution/${id}?wait_ms=${waitMs}`);

  it('gets the run when it ends, or at once if it has already ended', async () => {
    const { id } = (await fleet.start()).body;
    await worker.offers.next();
    const answer = read(id, 3_600_000);
    await worker.finish(id);
    for (const { status, body } of [await answer, await read(id, 3_600_000)])
      expect([status, body.action, body.output]).toEqual([200, 'end', { done: true }]);
  });

  it('gets the still live run after the timeout, and a failed attempt without waiting for its retry', async () => {
    const { id } = (await fleet.start({}, 'wait_ms=0&retries=1&retry_delay_ms=0')).body;
    await worker.offers.next();
    expect(await read(id, 20)).toMatchObject({ status: 200, body: { id, action: 'start' } });
    const answer = read(id, 30_000);
    await worker.finish(id, { action: 'error', output: null, error_code: 'exception', error_stack: 'Error\n' });
    expect((await answer).body).toMatchObject({ id, action: 'error' });
    const retry = await worker.offers.next();
    await worker.finish(retry.id);
  });

  it('gets 404 if the run belongs to another user', async () => {
    const { id } = (await fleet.start()).body;
    await worker.offers.next();
    expect((await admin('GET', `/joint-api/skript-execution/${id}?wait_ms=30000`)).status).toBe(404);
    await worker.finish(id);
  });
});
