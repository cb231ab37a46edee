import { randomUUID } from 'node:crypto';
import type { RunWrite } from '@trawl/contracts';
import { ObjectId } from 'bson';
import { DataSource } from 'typeorm';
import { encodeMessage } from '../../../../../packages/storage/test/bson-messages.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, makeWorkerAndSkript, type TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { ExecutionsRepository } from './executions.repository.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);

const execution = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;
const write = (inserted: number, more: object = {}) => ({
  store: 'mongodb',
  database: null,
  name: 'books',
  inserted,
  updated: 0,
  deleted: 0,
  ...more,
});

async function liveRun() {
  const worker: TestWorker = await fleet.connect();
  await fleet.start({ input: randomUUID() });
  const { id, token } = await worker.offers.next();
  const beat = (n: number, writes: object[], usage?: object[]) =>
    worker.send('beat', { epoch: worker.welcome.epoch, n, free: 1, load: 0, writes: [{ id, writes, usage }] });
  return { worker, id, token, beat };
}

it('a run shows what it wrote to databases, both live and ended; lists of runs leave this out', async () => {
  const { worker, id, beat } = await liveRun();
  expect((await execution(id)).writes).toEqual([]);
  expect(await beat(1, [write(20)])).toEqual({ n: 1 });
  await until(
    () => execution(id),
    ({ writes }) => writes.length > 0,
  );
  expect((await execution(id)).writes).toEqual([write(20)]);
  // The dashboard counts these rows.
  const otherRows = async () =>
    (await app.sql('SELECT other_rows::int AS rows FROM executions WHERE id = $1', [id]))[0];
  expect(await otherRows()).toEqual({ rows: 20 });
  const all = [write(60, { updated: 3 }), write(5, { store: 'postgresql', name: null })];
  expect(await worker.finish(id, { writes: all })).toEqual({ result: 'ok' });
  expect((await execution(id)).writes).toEqual(all);
  expect(await otherRows()).toEqual({ rows: 68 });
  // A heartbeat that arrives late.
  await beat(2, [write(40)]);
  expect((await execution(id)).writes).toEqual(all);
  const { items } = (await developer('GET', '/joint-api/skript-execution/list?limit=1')).body;
  expect(items[0]).toMatchObject({ id });
  expect(items[0]).not.toHaveProperty('writes');
});

it('a run without a final report keeps the writes of its own worker’s last heartbeat, not those of another', async () => {
  const { worker, id, beat } = await liveRun();
  await beat(1, [write(20)]);
  await until(
    () => execution(id),
    ({ writes }) => writes.length > 0,
  );
  const other = await (await makeWorkerAndSkript(app, 'other')).connect();
  await other.send('beat', {
    epoch: other.welcome.epoch,
    n: 1,
    free: 1,
    load: 0,
    writes: [{ id, writes: [write(9)] }],
  });
  other.close();
  const stack = 'Error: lost';
  await worker.finish(id, { action: 'error', output: null, error_code: 'worker_lost', error_stack: stack });
  expect(await execution(id)).toMatchObject({ error_code: 'worker_lost', writes: [write(20)] });
});

it('a run shows the processor and memory that its worker has measured, live and ended; lists leave them out', async () => {
  const { worker, id, beat } = await liveRun();
  const sample = (at_s: number, cpu_percent: number | null) => ({ at_s, cpu_percent, memory_mb: 90 });
  expect(await execution(id)).toMatchObject({ usage: [], requests: [] });
  await beat(1, [write(20)], [sample(4, null)]);
  const shown = await until(
    () => execution(id),
    ({ usage }) => usage.length > 0,
  );
  expect(shown).toMatchObject({ usage: [sample(4, null)], writes: [write(20)] });
  // A worker that measures nothing leaves the samples as they are.
  await beat(2, [write(30)]);
  await until(
    () => execution(id),
    ({ writes }) => writes[0].inserted === 30,
  );
  const usage = [sample(4, null), sample(8, 150)];
  const requests = [{ host: 'shop.example', count: 60 }];
  expect(await worker.finish(id, { usage, requests })).toEqual({ result: 'ok' });
  expect(await execution(id)).toMatchObject({ action: 'end', usage, requests, writes: [write(30)] });
  const { items } = (await developer('GET', '/joint-api/skript-execution/list?limit=1')).body;
  for (const field of ['usage', 'requests']) expect(items[0]).not.toHaveProperty(field);
});

it('the error of a failed MongoDB insert says how many documents were stored', async () => {
  const { worker, id, token } = await liveRun();
  const collection = `books_${id.replaceAll('-', '')}`;
  let op_id = 0;
  const insert = (docs: object[], ordered: boolean) =>
    worker.send('storage', {
      epoch: worker.welcome.epoch,
      id,
      token,
      op_id: ++op_id,
      op: { collection, method: 'insertMany', args: encodeMessage({ docs, ordered }), resend: false },
    });
  const [known, ...others] = Array.from({ length: 4 }, () => ({ _id: new ObjectId() }));
  expect(await insert([known as object], true)).toHaveProperty('result');
  const [first, second, third] = others as [object, object, object];
  expect((await insert([first, known as object, second], true)).error).toMatchObject({ inserted_count: 1 });
  expect((await insert([known as object, second, third], false)).error).toMatchObject({ inserted_count: 2 });
  expect((await insert([known as object], false)).error).not.toHaveProperty('inserted_count');
});

it('the answer to an SQL statement names the table without its schema, as PostgreSQL resolves it', async () => {
  const { worker, id, token } = await liveRun();
  let op_id = 0;
  const query = (text: string, table?: string) => {
    op_id += 1;
    const op = { method: 'query', text, params: [] };
    return worker.send('postgres', { epoch: worker.welcome.epoch, id, token, op_id, op, resend: false, table });
  };
  expect((await query('CREATE TABLE counted (n int)')).result).not.toHaveProperty('table');
  for (const table of ['counted', 'public.counted'])
    expect(await query('INSERT INTO counted VALUES (1)', table)).toMatchObject({ result: { table: 'counted' } });
});

it('statements that write what several runs have stored do not deadlock, whatever the order of the runs', async () => {
  const runs = await Promise.all([1, 2].map(() => fleet.start({ input: randomUUID() }, 'wait_ms=0')));
  const [low = '', high = ''] = runs.map(({ body }) => body.id).sort();
  const [row] = await app.sql<{ worker_id: string }>('SELECT worker_id FROM executions WHERE id = $1', [low]);
  const workerId = String(row?.worker_id);
  const executions = app.part(ExecutionsRepository);
  let rows = 0;
  const statements = {
    raise: (...ids: string[]) => executions.raiseRowCounts(ids.map(id => ({ id, workerId, rows: ++rows }))),
    save: (...ids: string[]) =>
      executions.saveWrites(
        workerId,
        ids.map(id => ({ id, writes: [write(++rows) as RunWrite] })),
      ),
  };
  for (const [first, second] of [
    ['raise', 'save'],
    ['save', 'raise'],
    ['raise', 'raise'],
  ] as const) {
    const blocker = app.part(DataSource).createQueryRunner();
    await blocker.startTransaction();
    await blocker.query('SELECT 1 FROM executions WHERE id = $1 FOR NO KEY UPDATE', [high]);
    const waiting = (count: number) =>
      until(
        () => app.sql(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`),
        found => found.length === count,
      );
    const writing = [statements[first](high, low)];
    await waiting(1);
    writing.push(statements[second](low, high));
    await waiting(2);
    await blocker.commitTransaction();
    await blocker.release();
    await Promise.all(writing);
  }
  expect((await execution(low)).rows).toBeGreaterThan(0);
});
