import { LIMITS } from '@trawl/contracts';
import { ObjectId } from 'bson';
import { encodeMessage } from '../../../../../packages/storage/test/bson-messages.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, type TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { InsertedRowsRepository } from './inserted-rows.repository.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);
const repository = () => app.part(InsertedRowsRepository);

const path = (id: string) => `/joint-api/skript-execution/${id}`;
const compare = (now: string, was: string, target?: string, api = developer) =>
  api('GET', `${path(now)}/comparison/${was}${target === undefined ? '' : `?target=${target}`}`);

const download = (id: string, api = developer) => api('GET', `${path(id)}/record/rows`);

/** A live run, and what its skript does. */
class LiveRun {
  #op = 0;

  private constructor(
    private readonly worker: TestWorker,
    readonly id: string,
    private readonly token: string,
  ) {}

  static async recorded(worker: TestWorker): Promise<LiveRun> {
    const { id } = (await fleet.start({}, 'wait_ms=0&record=true&force=true')).body;
    return new LiveRun(worker, id, (await worker.offers.next()).token);
  }

  static async plain(worker: TestWorker): Promise<LiveRun> {
    const { id } = (await fleet.start({}, 'wait_ms=0&force=true')).body;
    return new LiveRun(worker, id, (await worker.offers.next()).token);
  }

  async replay(): Promise<LiveRun> {
    const { id } = (await developer('POST', `${path(this.id)}/replay?wait_ms=0`, {})).body;
    return new LiveRun(this.worker, id, (await this.worker.offers.next()).token);
  }

  insert(collection: string, ...docs: object[]) {
    const args = encodeMessage({ docs: docs.map(doc => ({ _id: new ObjectId(), ...doc })), ordered: true });
    return this.#send('storage', { op: { collection, method: 'insertMany', args, resend: false } });
  }

  change(collection: string, method: 'replaceOne' | 'updateOne' | 'updateMany', change: object) {
    const args = encodeMessage({ upsert: true, ...change });
    return this.#send('storage', { op: { collection, method, args, resend: false } });
  }

  insertInto(table: string, ...rows: object[]) {
    const text = `INSERT INTO ${table} SELECT * FROM json_populate_recordset(null::${table}, $1)`;
    return this.#send('postgres', {
      op: { method: 'query', text, params: [JSON.stringify(rows)] },
      resend: false,
      table,
    });
  }

  query(text: string) {
    return this.#send('postgres', { op: { method: 'query', text, params: [] }, resend: false });
  }

  /** Ends the run. A recorded one sends its record. */
  async end(): Promise<string> {
    await this.worker.finish(this.id);
    await fetch(`${app.url}/worker-api/records/${this.id}?exchanges=1`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${fleet.key}`, 'content-type': 'application/octet-stream' },
      body: 'a record',
    });
    return this.id;
  }

  #send(event: 'storage' | 'postgres', frame: object) {
    this.#op += 1;
    const { id, token } = this;
    return this.worker.send(event, { epoch: this.worker.welcome.epoch, id, op_id: this.#op, token, ...frame });
  }
}

it('a replay is compared with its run by the rows of mongo and postgres, and changes none of them', async () => {
  const worker = await fleet.connect();
  const run = await LiveRun.recorded(worker);
  expect(await run.query('CREATE TABLE books (title text PRIMARY KEY, price int)')).toHaveProperty('result');
  expect(await run.insertInto('books', { title: 'Emma', price: 9 }, { title: 'Persuasion', price: 7 })).toMatchObject({
    result: { row_count: 2 },
  });
  expect(await run.insert('authors', { _id: 'ja', name: 'Austen' }, { _id: 'eb', name: 'Brontë' })).toHaveProperty(
    'result',
  );
  await run.insert('authors', { _id: 'gs', name: 'Sand' });
  // A large value of `kv`, which is no row.
  await run.insert(`kv_${fleet.skriptId}`, { _id: 'page', n: 1 });
  const was = await run.end();

  const replay = await run.replay();
  // PostgreSQL would refuse the same title again, and MongoDB the same id.
  expect(
    await replay.insertInto('books', { title: 'Emma', price: 8 }, { title: 'Persuasion', price: 7 }),
  ).toMatchObject({
    result: { row_count: 2, command: 'INSERT' },
  });
  expect(await replay.insert('authors', { _id: 'ja', name: 'Austen' }, { _id: 'ge', name: 'Eliot' })).toHaveProperty(
    'result',
  );
  await replay.insert('authors', { _id: 'gs', name: 'Sand' });
  // The worker counts what it was answered.
  const writes = [{ store: 'mongodb', database: null, name: 'authors', inserted: 3, updated: 0, deleted: 0 }];
  await worker.finish(replay.id, { writes });
  expect((await developer('GET', path(replay.id))).body.writes).toEqual([]);
  const targets = ['postgresql:books', 'mongodb:authors'];

  expect((await compare(replay.id, was, 'mongodb:authors')).body).toMatchObject({
    target: 'mongodb:authors',
    targets,
    was: { compared: 3, complete: true },
    now: { compared: 3, complete: true },
    equal: 2,
    added: 1,
    gone: 1,
    matched_by: 'key',
    items: [
      { kind: 'added', key: '"ge"', row: { name: 'Eliot' } },
      { kind: 'gone', key: '"eb"', row: { name: 'Brontë' } },
    ],
  });
  expect((await compare(replay.id, was, 'postgresql:books')).body).toMatchObject({
    equal: 1,
    changed: 1,
    items: [{ kind: 'changed', fields: { price: { was: 9, now: 8 } } }],
  });
  // Neither run has rows of dataset.push.
  expect((await compare(replay.id, was)).body.target).toBe('postgresql:books');
  const unknown = await compare(replay.id, was, 'mongodb:others');
  expect([unknown.status, unknown.body.error_message]).toEqual([404, expect.stringContaining('mongodb:authors')]);
  const [database] = (await developer('GET', '/joint-api/mongo-databases/list')).body.items;
  const { items } = (await developer('GET', `/joint-api/mongo/${database.id}/authors/list`)).body;
  expect(items.map(({ _id }: { _id: string }) => _id).sort()).toEqual(['eb', 'gs', 'ja']);
});

it('a replay is compared by what it replaces and updates, without what differs because of its clock', async () => {
  const worker = await fleet.connect();
  const run = await LiveRun.recorded(worker);
  const write = async (to: LiveRun, price: number) => {
    for (const sku of ['A', 'B']) {
      const replacement = { sku, price: sku === 'B' ? price : 5, scraped_at: new Date() };
      expect(await to.change('products', 'replaceOne', { filter: { sku }, replacement })).toHaveProperty('result');
    }
    await to.change('stock', 'updateOne', { filter: { _id: 'A' }, update: { $set: { left: 3 }, $inc: { seen: 1 } } });
    await to.change('stock', 'updateMany', { filter: { _id: 'C' }, update: { $set: { left: price } } });
  };
  await write(run, 9);
  const was = await run.end();
  const replay = await run.replay();
  await write(replay, 8);
  await worker.finish(replay.id);

  expect((await compare(replay.id, was, 'mongodb:products')).body).toMatchObject({
    targets: ['mongodb:products', 'mongodb:stock'],
    was: { compared: 2, complete: true },
    equal: 1,
    match_field: 'sku',
    fields: [{ field: 'price', rows: 1 }],
    items: [{ kind: 'changed', key: '"B"', fields: { price: { was: 9, now: 8 } } }],
  });
  expect((await compare(replay.id, was, 'mongodb:stock')).body).toMatchObject({
    equal: 1,
    matched_by: 'key',
    items: [{ key: '"C"', fields: { left: { was: 9, now: 8 } } }],
  });
  const lines = (await download(was)).body.trimEnd().split('\n');
  expect(JSON.parse(lines[2])).toEqual({ target: 'mongodb:stock', row: { _key: '"A"', left: 3, $inc: { seen: 1 } } });
  const [database] = (await developer('GET', '/joint-api/mongo-databases/list')).body.items;
  const stored = async (name: string) => (await developer('GET', `/joint-api/mongo/${database.id}/${name}/list`)).body;
  const stock = (await stored('stock')).items.map(({ _id, left, seen = 0 }: Record<string, unknown>) => [
    _id,
    left,
    seen,
  ]);
  expect(stock.sort()).toEqual([
    ['A', 3, 1],
    ['C', 9, 0],
  ]);
  expect((await stored('products')).items.map(({ price }: { price: number }) => price).sort()).toEqual([5, 9]);
});

it('the rows beside a record can be downloaded, as the run sent them', async () => {
  const worker = await fleet.connect();
  const run = await LiveRun.recorded(worker);
  await run.insert('authors', { name: 'Austen', born: new Date(0) }, { _id: 7, name: 'Brontë' });
  // Refused, because the id is taken.
  await run.insert('authors', { _id: 7, name: 'Sand' });
  const id = await run.end();
  const { headers, body: text } = await download(id);
  expect(headers.get('content-type')).toContain('application/x-ndjson');
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line: string) => JSON.parse(line)),
  ).toEqual([
    { target: 'mongodb:authors', row: { name: 'Austen', born: '1970-01-01T00:00:00.000Z' } },
    { target: 'mongodb:authors', row: { name: 'Brontë', _key: '7' } },
    { target: 'mongodb:authors', row: { name: 'Sand', _key: '7' } },
  ]);
  const other = await app.as('admin');
  expect((await download(id, other)).status).toBe(404);
  expect((await compare(id, id, 'mongodb:authors', other)).status).toBe(404);
});

it('rows are kept of recorded runs only', async () => {
  const worker = await fleet.connect();
  const [recorded, plain] = [await LiveRun.recorded(worker), await LiveRun.plain(worker)];
  for (const run of [recorded, plain]) await run.insert('authors', { name: 'Austen' });
  await recorded.end();
  await worker.finish(plain.id);
  expect((await download(plain.id)).body).toBe('');
  expect((await compare(recorded.id, recorded.id)).body.targets).toEqual(['mongodb:authors']);
  // Nothing is known of the other run's rows, so they are not compared.
  expect((await compare(plain.id, recorded.id)).body).toMatchObject({ target: 'dataset', targets: ['dataset'] });
});

it('rows beyond the limits are not kept, and the comparison says that rows are missing', async () => {
  const worker = await fleet.connect();
  const run = await LiveRun.recorded(worker);
  const text = 'x'.repeat(LIMITS.insertedBytes / 20 - 1_000);
  for (let n = 1; n <= 21; n += 1) await run.insert('pages', { _id: n, text });
  await run.insert('pages', { _id: 22 });
  for (let n = 1; n <= 12; n += 1) await run.insert(`c${n}`, { n });
  const id = await run.end();
  const { body } = await compare(id, id, 'mongodb:pages');
  expect(body).toMatchObject({
    was: { compared: 20, complete: false },
    now: { compared: 20, complete: false },
    equal: 20,
  });
  expect(body.targets).toEqual(['mongodb:pages', ...Array.from({ length: 9 }, (_, n) => `mongodb:c${n + 1}`)]);
  const lines = (await download(id)).body.trimEnd().split('\n');
  expect(JSON.parse(lines[20] ?? '')).toEqual({ target: 'mongodb:pages', row: null });
});

it('a call that is sent twice is kept once, and wrong documents are refused in a replay, too', async () => {
  const worker = await fleet.connect();
  const run = await LiveRun.recorded(worker);
  await run.insert('authors', { _id: 1 });
  const { id: ownerId } = (await developer('GET', '/joint-api/account')).body;
  await repository().add(run.id, ownerId, { target: 'mongodb:authors', n: 1, data: Buffer.from('again') });
  await run.end();
  expect((await repository().keptOf(run.id)).targets).toEqual(new Map([['mongodb:authors', true]]));
  expect((await download(run.id)).body).toBe('{"target":"mongodb:authors","row":{"_key":"1"}}\n');
  const replay = await run.replay();
  expect(await replay.insert('authors', { $set: 1 })).toMatchObject({ error: { code: 'storage_rejected' } });
  const change = { filter: { $where: 'true' }, replacement: {} };
  expect(await replay.change('authors', 'replaceOne', change)).toMatchObject({ error: { code: 'storage_rejected' } });
});

it('kept rows count as storage, and are deleted with their run or its record', async () => {
  const worker = await fleet.connect();
  const ids: string[] = [];
  for (const _ of [1, 2, 3]) {
    const run = await LiveRun.recorded(worker);
    await run.insert('authors', { name: 'Austen' });
    ids.push(await run.end());
  }
  const { id: ownerId } = (await developer('GET', '/joint-api/account')).body;
  expect(await repository().bytesOf(ownerId)).toBeGreaterThan(100);
  const [deleted, old] = ids;
  await developer('DELETE', path(String(deleted)));
  const age = `SET created_at = now() - interval '31 days' WHERE execution_id = $1`;
  await app.sql(`UPDATE inserted_rows ${age}`, [old]);
  const left = async () =>
    (
      await app.sql<{ id: string }>('SELECT execution_id AS id FROM inserted_rows WHERE execution_id = ANY($1)', [ids])
    ).map(({ id }) => id);
  await repository().deleteExpired();
  expect((await left()).sort()).toEqual(ids.slice(1).sort());
  await app.sql('DELETE FROM record_parts WHERE execution_id = $1', [old]);
  await repository().deleteExpired();
  expect(await left()).toEqual(ids.slice(2));
});

it('a run whose rows could not be kept for a moment continues, and lacks rows', async () => {
  const worker = await fleet.connect();
  const run = await LiveRun.recorded(worker);
  await app.sql('ALTER TABLE inserted_rows RENAME TO gone_rows');
  expect(await run.insert('authors', { name: 'Austen' })).toHaveProperty('result');
  await app.sql('ALTER TABLE gone_rows RENAME TO inserted_rows');
  await run.insert('authors', { name: 'Brontë' });
  expect((await repository().keptOf(run.id)).targets.get('mongodb:authors')).toBe(false);
});

// Last, because a backend keeps the quota of an account for seconds.
it('rows for which the account has no room are missing in the copy', async () => {
  const worker = await fleet.connect();
  const run = await LiveRun.recorded(worker);
  await app.sql(`UPDATE users SET quotas = '{"storage_bytes": 1}' WHERE username = 'developer'`);
  const isComplete = async () => {
    await run.insert('authors', { name: 'Austen' });
    return (await repository().keptOf(run.id)).targets.get('mongodb:authors');
  };
  expect(await until(isComplete, complete => complete === false)).toBe(false);
});
