import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Evidence, KeptExchange } from '@trawl/contracts';
import { ObjectId } from 'bson';
import { DataSource } from 'typeorm';
import { encodeMessage } from '../../../../../packages/storage/test/bson-messages.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, type TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import type { RunExchangesDto } from './evidence.dto.js';
import { EvidenceRepository } from './evidence.repository.js';

const { app, developer, admin } = appForFile();
const fleet = fleetForEachTest(app);

const pathOf = (id: string) => `/joint-api/skript-execution/${id}/exchanges`;
const list = async (id: string) => (await developer('GET', pathOf(id))).body;
const untilKept = (id: string, isKept = (shown: RunExchangesDto) => shown.items.length > 0) =>
  until(() => list(id), isKept);

const exchange = (sequence: number, body: string): KeptExchange => ({
  sequence,
  started_at: '2026-02-15T09:30:00.000Z',
  duration_ms: 84,
  via: 'undici',
  method: 'POST',
  url: 'https://books.example/list?page=2&q=%C3%A4',
  request_headers: [['content-type', 'application/json']],
  request_body: { encoding: 'text', data: '{"page":2}' },
  status: 403,
  status_text: 'Forbidden',
  response_headers: [
    ['Content-Type', 'text/html'],
    ['set-cookie', '[redacted]'],
  ],
  body: { encoding: 'text', data: body },
  body_bytes: 20,
  is_cut: false,
  error: null,
});
const evidence = (body = '<title>Denied</title>'): Evidence => ({
  exchanges: [exchange(7, body), { ...exchange(8, ''), body: { encoding: 'base64', data: '/9gA' }, error: 'closed' }],
  page: { title: 'Denied', url: 'https://books.example/', picture: null, html: '<p>', console: [] },
});

/** Makes a worker answer with the exchanges of every run, in parts of this size. Returns the ids that were asked for. */
function sees(worker: TestWorker, seen: Evidence | Buffer, partBytes = 100_000): string[] {
  const gz = Buffer.isBuffer(seen) ? seen : gzipSync(JSON.stringify(seen));
  const asked: string[] = [];
  worker.exchanges = ({ id, from }) => {
    asked.push(id);
    return { bytes: gz.length, gz: gz.subarray(from, from + partBytes) };
  };
  return asked;
}

const FAILED = { action: 'error', output: null, error_code: 'exception', error_stack: 'Error: denied', exchanges: 2 };

async function endedRun(worker: TestWorker, ending: object): Promise<{ id: string; answer: object }> {
  const { body } = await fleet.start({ input: randomUUID() });
  await worker.offers.next();
  return { id: body.id, answer: await worker.finish(body.id, ending) };
}

it('a failed run keeps what it saw: as a list, one by one, and as an HTTP archive', async () => {
  const worker = await fleet.connect();
  sees(worker, evidence(), 50);
  const { id, answer } = await endedRun(worker, FAILED);
  expect(answer).toEqual({ result: 'ok', may_read: true });
  const { items, page } = await untilKept(id);
  expect(page).toEqual(evidence().page);
  expect(items).toHaveLength(2);
  expect(items[0]).toEqual({
    sequence: 7,
    started_at: '2026-02-15T09:30:00.000Z',
    duration_ms: 84,
    via: 'undici',
    method: 'POST',
    url: 'https://books.example/list?page=2&q=%C3%A4',
    status: 403,
    status_text: 'Forbidden',
    content_type: 'text/html',
    body_bytes: 20,
    is_cut: false,
    error: null,
  });
  const one = await developer('GET', `${pathOf(id)}/7`);
  expect(one.body).toEqual({ ...exchange(7, '<title>Denied</title>'), content_type: 'text/html' });
  const { body: har, headers } = await developer('GET', `${pathOf(id)}.har`);
  expect(headers.get('content-disposition')).toBe(`attachment; filename="exchanges-${id}.har"`);
  expect(har.log.version).toBe('1.2');
  expect(har.log.entries[0]).toMatchObject({
    startedDateTime: '2026-02-15T09:30:00.000Z',
    time: 84,
    request: {
      method: 'POST',
      queryString: [
        { name: 'page', value: '2' },
        { name: 'q', value: 'ä' },
      ],
      postData: { mimeType: 'application/json', text: '{"page":2}' },
    },
    response: { status: 403, content: { size: 21, mimeType: 'text/html', text: '<title>Denied</title>' } },
  });
  expect(har.log.entries[1]).toMatchObject({
    comment: 'closed',
    response: { content: { size: 3, text: '/9gA', encoding: 'base64' }, _error: 'closed' },
  });
});

it('only the owner of a run sees what it saw', async () => {
  const worker = await fleet.connect();
  sees(worker, evidence());
  const { id } = await endedRun(worker, FAILED);
  await untilKept(id);
  for (const path of [pathOf(id), `${pathOf(id)}/7`, `${pathOf(id)}.har`]) {
    expect((await admin('GET', path)).status).toBe(404);
  }
  expect((await developer('GET', `${pathOf(id)}/9`)).status).toBe(404);
  for (const sequence of ['0', '-1', '1.5', 'x', '99999999999999999999', '%00']) {
    expect((await developer('GET', `${pathOf(id)}/${sequence}`)).status).toBe(400);
  }
});

it('a run that ends well keeps nothing, and its worker is not asked', async () => {
  const worker = await fleet.connect();
  const asked = sees(worker, evidence());
  const good = await endedRun(worker, { exchanges: 2 });
  expect(good.answer).toEqual({ result: 'ok' });
  const { answer } = await endedRun(worker, { ...FAILED, exchanges: undefined });
  expect(answer).toEqual({ result: 'ok' });
  const last = await endedRun(worker, FAILED);
  await untilKept(last.id);
  expect(new Set(asked)).toEqual(new Set([last.id]));
  expect(await list(good.id)).toEqual({ items: [], page: null });
});

it('a run whose rows are broken keeps what it saw, and one whose rows are as usual does not', async () => {
  const worker = await fleet.connect();
  const asked = sees(worker, evidence());
  const run = async (count: number) => {
    const { body } = await fleet.start({ input: 'shop' });
    const { id, token, skript } = await worker.offers.next();
    if (count > 0) {
      const docs = Array.from({ length: count }, (_, n) => ({
        _id: new ObjectId(),
        _run: id,
        _at: new Date(),
        price: n,
      }));
      const op = { method: 'insertMany', args: encodeMessage({ docs, ordered: true }), resend: false, rows: count };
      const collection = `dataset_${skript.id}`;
      await worker.send('storage', { epoch: worker.welcome.epoch, id, op_id: 1, token, op: { ...op, collection } });
    }
    expect(await worker.finish(id, { exchanges: 2, ...(count > 0 && { rows: count }) })).toEqual({
      result: 'ok',
      may_read: true,
    });
    return body.id;
  };
  const good = [await run(30), await run(31), await run(30), await run(32)];
  const broken = await run(0);
  await untilKept(broken);
  expect(asked).toEqual([broken]);
  for (const id of good) expect((await list(id)).items).toEqual([]);
});

it('each attempt of a retried run keeps what it saw', async () => {
  const worker = await fleet.connect();
  sees(worker, evidence());
  const { body } = await fleet.start({ input: 1 }, 'wait_ms=0&retries=1&retry_delay_ms=0');
  await worker.offers.next();
  await worker.finish(body.id, FAILED);
  const second = await worker.offers.next();
  await worker.finish(second.id, FAILED);
  await untilKept(body.id);
  await untilKept(second.id);
});

it.each([
  ['not compressed', Buffer.from('{}')],
  ['not JSON', gzipSync('{')],
  ['of another shape', gzipSync('{"exchanges":[{"url":1}],"page":null}')],
  ['a zip bomb', gzipSync(Buffer.alloc(200 * 1024 * 1024))],
  [
    'with a picture that is a page',
    gzipSync(JSON.stringify({ ...evidence(), page: { ...evidence().page, picture: 'data:text/html,<script>' } })),
  ],
])('what a worker sends is not kept if it is %s', async (_name, gz) => {
  const worker = await fleet.connect();
  sees(worker, gz, 500_000);
  const { id } = await endedRun(worker, FAILED);
  // Evidence is read in order, so the next one shows that the first one is done.
  sees(worker, evidence());
  await untilKept((await endedRun(worker, FAILED)).id);
  await untilKept((await endedRun(worker, FAILED)).id);
  expect(await list(id)).toEqual({ items: [], page: null });
});

it('a worker that claims endless exchanges is not read to the end', async () => {
  const worker = await fleet.connect();
  let parts = 0;
  worker.exchanges = () => {
    parts += 1;
    return { bytes: 10 ** 12, gz: Buffer.alloc(1_000) };
  };
  await endedRun(worker, FAILED);
  sees(worker, evidence());
  await untilKept((await endedRun(worker, FAILED)).id);
  expect(parts).toBeLessThanOrEqual(1);
});

it('deleting a run deletes what it saw, and the nightly cleanup what has no run', async () => {
  const worker = await fleet.connect();
  sees(worker, evidence());
  const [first, second] = [await endedRun(worker, FAILED), await endedRun(worker, FAILED)];
  for (const { id } of [first, second]) await untilKept(id);
  const left = async () =>
    (
      await app.sql<{ id: string }>('SELECT execution_id AS id FROM run_evidence WHERE execution_id = ANY($1)', [
        [first.id, second.id],
      ])
    ).map(({ id }) => id);
  await developer('DELETE', `/joint-api/skript-execution/${first.id}`);
  expect(await left()).toEqual([second.id]);
  await app.sql('DELETE FROM executions WHERE id = $1', [second.id]);
  await app.part(EvidenceRepository).deleteWithoutRuns();
  expect(await left()).toEqual([]);
});

it('evidence that arrives while its run is being deleted is not kept', async () => {
  const worker = await fleet.connect();
  const { id } = await endedRun(worker, { exchanges: 2 });
  const [{ owner_id: ownerId } = { owner_id: '' }] = await app.sql<{ owner_id: string }>(
    'SELECT owner_id FROM executions WHERE id = $1',
    [id],
  );
  let saved: Promise<boolean> | undefined;
  await app.part(DataSource).transaction(async manager => {
    await manager.query('DELETE FROM executions WHERE id = $1', [id]);
    saved = app.part(EvidenceRepository).save(ownerId, id, { items: [], page: null }, gzipSync('{}'));
    const isWaiting = () =>
      app.sql(
        `SELECT FROM pg_stat_activity WHERE query LIKE '%INSERT INTO run_evidence%' AND wait_event_type = 'Lock'`,
      );
    await Promise.race([saved, until(isWaiting, rows => rows.length > 0)]);
  });
  expect(await saved).toBe(false);
  expect(await app.sql('SELECT FROM run_evidence WHERE execution_id = $1', [id])).toEqual([]);
});

it('above the quota of saved bytes, nothing is kept', async () => {
  const worker = await fleet.connect();
  sees(worker, evidence());
  const { owner_id } = (
    await app.sql<{ owner_id: string }>('SELECT owner_id FROM skripts WHERE id = $1', [fleet.skriptId])
  )[0] as { owner_id: string };
  const kept = await endedRun(worker, FAILED);
  await untilKept(kept.id);
  const repository = app.part(EvidenceRepository);
  const { id } = await endedRun(worker, { exchanges: 2 });
  const save = (ownerId: string) => repository.save(ownerId, id, { items: [], page: null }, gzipSync('{}'));
  await app.sql(
    `INSERT INTO daily_saved_bytes (owner_id, day, bytes) VALUES ($1, utc_today(), 1000000000000)
     ON CONFLICT (owner_id) DO UPDATE SET day = utc_today(), bytes = 1000000000000`,
    [owner_id],
  );
  await app.sql(`UPDATE users SET quotas = '{"echo_bytes_per_day": 1000}' WHERE id = $1`, [owner_id]);
  expect(await save(owner_id)).toBe(false);
  await app.sql(`UPDATE users SET quotas = '{}' WHERE id = $1`, [owner_id]);
  await app.sql('DELETE FROM daily_saved_bytes WHERE owner_id = $1', [owner_id]);
  expect(await save(randomUUID())).toBe(false);
  expect(await save(owner_id)).toBe(true);
});

it('a skript that keeps no exchanges tells its worker so', async () => {
  const worker = await fleet.connect();
  await fleet.start({ input: 1 });
  expect((await worker.offers.next()).keeps_exchanges).toBe(true);
  const { body } = await developer('PUT', `/joint-api/skripts/${fleet.skriptId}`, { keep_exchanges: false });
  expect(body.keep_exchanges).toBe(false);
  await fleet.start({ input: 2 });
  expect((await worker.offers.next()).keeps_exchanges).toBe(false);
});
