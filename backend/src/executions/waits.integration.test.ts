import { randomUUID } from 'node:crypto';
import { type Answer, type Api, startTestApp, type TestApp } from '../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet, TestWorker } from '../../test/test-worker.js';
import { until } from '../../test/until.js';

jest.setTimeout(60_000);

const EXECUTE = '/joint-api/execute-skript';

let app: TestApp;
let developer: Api;
let fleet: TestFleet;
let worker: TestWorker;

beforeAll(async () => {
  app = await startTestApp();
  developer = await app.as('developer');
  fleet = await makeWorkerAndSkript(app, 'waits');
  worker = await TestWorker.connect(app, fleet.key);
});
afterAll(async () => {
  worker.close();
  await app.close();
});

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

describe('a call that waits while its key is revoked', () => {
  it.each([
    ['on this backend', HERE],
    ['elsewhere', ELSEWHERE],
  ])('for the end of a run, %s, is answered 401 at once, and the run goes on', async (_, revoke) => {
    const { id, api } = await newKey('run');
    const body = { worker_id: fleet.workerId, skript_id: fleet.skriptId };
    const answer = api('POST', `${EXECUTE}/single-worker/start`, body);
    const offer = await worker.offers.next();
    await revoke(id);
    ended(await answer);
    expect(await worker.finish(offer.id)).toEqual({ result: 'ok' });
    expect((await developer('GET', `/joint-api/skript-execution/${offer.id}`)).body.action).toBe('end');
  });

  it('for the ends of runs on several workers is answered 401', async () => {
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

  it('for the first call with its Idempotency-Key is answered 401', async () => {
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
