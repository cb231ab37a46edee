import { randomUUID } from 'node:crypto';
import { BSONRegExp, ObjectId } from 'bson';
import { encodeMessage } from '../../../../../packages/storage/test/bson-messages.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { VerdictsRepository } from './verdicts.repository.js';
import { VerdictsService } from './verdicts.service.js';

const { app, developer, admin } = appForFile();
const fleet = fleetForEachTest(app);

const execution = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;
const books = (count: number, change: object = {}) =>
  Array.from({ length: count }, (_, n) => ({ sku: `sku-${n}`, price: 5 + n, ...change }));
const writeOf = (name: string, inserted: number, updated = 0) => [
  { store: 'mongodb' as const, database: null, name, inserted, updated, deleted: 0 },
];

/** Starts runs of the skript on a worker. Each stores rows with `dataset.push` and ends. */
async function runsOf(input: unknown = 'shop') {
  const worker = await fleet.connect();
  const start = async (ownInput = input) => {
    const answer = fleet.start({ input: ownInput }, 'wait_ms=60000');
    const { id, token, skript } = await worker.offers.next();
    let op_id = 0;
    const insert = (collection: string, rows: object[], more: object = {}) => {
      const docs = rows.map(row => ({ _id: new ObjectId(), ...row }));
      const op = { collection, method: 'insertMany', args: encodeMessage({ docs, ordered: true }), resend: false };
      return worker.send('storage', { epoch: worker.welcome.epoch, id, op_id: ++op_id, token, op: { ...op, ...more } });
    };
    const push = (rows: object[]) =>
      insert(
        `dataset_${skript.id}`,
        rows.map(row => ({ _run: id, _at: new Date(), ...row })),
        { rows: rows.length },
      );
    return { id, answer, insert, push };
  };
  const run = async (rows: object[], ownInput = input) => {
    const { id, answer, push } = await start(ownInput);
    if (rows.length > 0) await push(rows);
    await worker.finish(id, rows.length > 0 ? { rows: rows.length } : {});
    return (await answer).body;
  };
  return { worker, start, run };
}

it('a run is new until three earlier ones have stored rows, and then it is judged', async () => {
  const { run } = await runsOf();
  for (let n = 0; n < 3; n++) expect((await run(books(30 + n))).verdict.level).toBe('new');
  expect(await run(books(31))).toMatchObject({ rows: 31, verdict: { level: 'ok', reason: null, findings: [] } });
  const broken = await run(books(30).map((book, n) => (n % 2 === 0 ? { ...book, price: '' } : book)));
  const finding = {
    level: 'broken',
    target: 'dataset',
    field: 'price',
    what: 'filled',
    text: 'price was filled in 100 % of rows, now in 50 %.',
  };
  expect(broken.verdict).toMatchObject({ level: 'broken', findings: [finding] });
  expect(broken.verdict.findings[0].rows[0]).toMatchObject({ price: '', _run: broken.id });
  // A broken run is not compared with later ones.
  for (let n = 0; n < 3; n++) expect((await run(books(30, { price: '' }))).verdict.level).toBe('broken');
  const { items } = (await developer('GET', '/joint-api/skript-execution/list?limit=1')).body;
  const { verdict } = await execution(items[0].id);
  expect(items[0].verdict).toEqual({ ...verdict, findings: [{ ...verdict.findings[0], rows: [] }] });
  // Verdicts contain rows of the owner.
  const all = (await admin('GET', '/joint-api/skript-execution/list-all?limit=1')).body;
  expect(all.items?.[0]).not.toHaveProperty('verdict');
});

it('the rows of a finding show it, and are shortened if they are large', async () => {
  const { run } = await runsOf('shown');
  const large = (count: number) => books(count, { html: '<p>'.repeat(2_000) });
  for (let n = 0; n < 3; n++) await run(large(40));
  const rowsOf = async (rows: object[], what: string) =>
    (await run(rows)).verdict.findings.find((finding: { what: string }) => finding.what === what);
  const [few, dear] = [large(40).slice(0, 20), large(40).map(book => ({ ...book, price: book.price * 1_000 }))];
  const number = await rowsOf(dear, 'number');
  expect(number.rows).toHaveLength(3);
  for (const { price, html } of number.rows) {
    expect(price).toBeGreaterThan(4_000);
    expect(html).toBe(`${'<p>'.repeat(34).slice(0, 100)}…`);
  }
  const twice = await rowsOf([...few, ...few], 'duplicates');
  expect(twice.rows).toHaveLength(3);
  const text = await rowsOf(
    large(40).map(book => ({ ...book, price: `${book.price} €` })),
    'type',
  );
  expect(text.rows[0].price).toMatch(/ €$/);
  expect(text).not.toHaveProperty('usualType');
});

it('lists find runs by their verdict, and the dashboard shows a skript whose rows are broken now', async () => {
  const { run } = await runsOf('listed');
  for (let n = 0; n < 3; n++) await run(books(30));
  const good = await run(books(30));
  const broken = await run(books(30, { price: '' }));
  const skriptId = broken.skript.id;
  const listed = async (verdict: string, as = developer) =>
    (await as('GET', `/joint-api/skript-execution/list?verdict=${verdict}&skript_id=${skriptId}`)).body;
  const ids = async (verdict: string) => (await listed(verdict)).items.map(({ id }: { id: string }) => id);
  const levels = async () =>
    (await developer('GET', `/joint-api/skript-execution/latest-by-skript?skript_ids=${skriptId}`)).body.items.map(
      ({ verdict_level }: { verdict_level: string | null }) => verdict_level,
    );
  // Other tests use the same account.
  const brokenNow = async () =>
    (await developer('GET', '/joint-api/dashboard')).body.broken_rows.items.filter(
      ({ skript }: { skript: { id: string } }) => skript.id === skriptId,
    );
  expect(await ids('ok')).toEqual([good.id]);
  expect(await ids('broken')).toEqual([broken.id]);
  expect(await ids('new')).toHaveLength(3);
  expect(await ids('unusual')).toEqual([]);
  expect(await listed('green')).toMatchObject({ error_code: 'validation_failed' });
  expect((await listed('broken', admin)).items ?? []).toEqual([]);
  expect(await levels()).toEqual(['broken', 'ok', 'new', 'new', 'new']);
  const item = {
    skript: { id: skriptId, name: broken.skript.name },
    execution_id: broken.id,
    text: 'price was filled in 100 % of rows, now in 0 %.',
    ended_at: broken.ended_at,
  };
  expect(await brokenNow()).toEqual([item]);
  expect((await admin('GET', '/joint-api/dashboard')).body.broken_rows).toEqual({ total: 0, items: [] });

  // A better run of another input leaves it broken, one of the same input does not.
  for (let n = 0; n < 4; n++) await run(books(30), 'other');
  expect(await brokenNow()).toEqual([item]);
  await run(books(30));
  expect(await brokenNow()).toEqual([]);

  // Accepted rows are broken no longer.
  const again = await run(books(30, { price: '' }));
  expect(await brokenNow()).toMatchObject([{ execution_id: again.id }]);
  await developer('POST', `/joint-api/skript-execution/${again.id}/verdict/accept`);
  expect(await brokenNow()).toEqual([]);
  expect((await levels())[0]).toBe('ok');
});

it('a run without rows is broken if earlier runs have stored some, and has no verdict otherwise', async () => {
  const { run } = await runsOf();
  expect((await run([])).verdict).toBeNull();
  for (let n = 0; n < 3; n++) await run(books(30));
  const { verdict } = await run([]);
  expect(verdict).toMatchObject({ level: 'broken', findings: [{ what: 'rows', was: 30, now: 0 }] });
  expect(await app.sql('SELECT 1 FROM run_profiles WHERE verdict IS NULL')).toEqual([]);
});

it('the profile of a run is deleted with the run', async () => {
  const { run } = await runsOf();
  const ids = [(await run(books(30))).id, (await run(books(30))).id];
  const profiles = () => app.sql('SELECT 1 FROM run_profiles WHERE execution_id = ANY($1)', [ids]);
  expect(await profiles()).toHaveLength(2);
  await developer('DELETE', `/joint-api/skript-execution/${ids[0]}`);
  expect(await profiles()).toHaveLength(1);
  await developer('POST', '/joint-api/skript-execution/delete-many', { ids: [ids[1]] });
  expect(await profiles()).toEqual([]);
});

it('runs with different inputs are not compared', async () => {
  const { run } = await runsOf();
  for (let n = 0; n < 3; n++) await run(books(30));
  const other = await runsOf(randomUUID());
  expect((await other.run(books(3))).verdict.level).toBe('new');
});

it('rows that the profile lacks are not judged, after a restart of the backend and for other ways of writing', async () => {
  const { worker, start, run } = await runsOf();
  for (let n = 0; n < 3; n++) await run(books(30));
  const { id, answer } = await start();
  await worker.finish(id, { rows: 30 });
  expect((await answer).body.verdict).toMatchObject({
    level: 'new',
    reason: expect.stringContaining('read 0 of the 30 rows'),
  });
  const second = await start();
  await second.insert('books', books(3));
  await worker.finish(second.id, { rows: undefined, writes: [...writeOf('books', 3), ...writeOf('logs', 2)] });
  expect((await second.answer).body.verdict.level).not.toBe('ok');
});

it('a run that only changes documents is new with a reason, however many runs did so before', async () => {
  const { worker, start } = await runsOf();
  for (let n = 1; n <= 5; n++) {
    const { id, answer } = await start();
    await worker.finish(id, { rows: undefined, writes: writeOf('books', 0, 7) });
    const { verdict } = (await answer).body;
    const reason = n <= 3 ? /^A verdict needs 3 earlier good runs/ : /^The run changed 7 rows in mongodb:books\. /;
    expect(verdict).toEqual({ level: 'new', reason: expect.stringMatching(reason), findings: [] });
  }
});

it('a run is judged later if the backend was killed before its verdict', async () => {
  const { run } = await runsOf();
  const { id } = await run(books(30));
  await app.sql('UPDATE run_profiles SET verdict = NULL WHERE execution_id = $1', [id]);
  await until(
    () => execution(id),
    ({ verdict }) => verdict !== null,
  );
});

it('a run that fails has no verdict, and leaves no profile', async () => {
  const { worker, start } = await runsOf();
  const { id, answer, push } = await start();
  await push(books(5));
  const failed = { action: 'error', error_code: 'exception', error_stack: 'Error', output: null } as const;
  await worker.finish(id, { rows: 5, ...failed });
  expect((await answer).body).toMatchObject({ action: 'error', rows: 5, verdict: null });
  expect(await app.sql('SELECT 1 FROM run_profiles WHERE execution_id = $1', [id])).toEqual([]);
});

it('the account is told once when rows break, and once when they are right again', async () => {
  const { run } = await runsOf();
  for (let n = 0; n < 3; n++) await run(books(30));
  for (let n = 0; n < 2; n++) await run(books(3));
  const { skript } = await run(books(30));
  const { items } = (await developer('GET', '/joint-api/account/notices/list')).body;
  const texts: string[] = items.map(({ text }: { text: string }) => text);
  const name = `The rows of “${skript.name}” are`;
  expect(texts.filter(text => text.startsWith(name))).toEqual([`${name} right again`, `${name} broken`]);
});

it('a run that cannot be judged gets no verdict, and keeps no other run waiting', async () => {
  const { run } = await runsOf();
  for (let n = 0; n < 3; n++) await run(books(30));
  const [damaged, good] = [await run(books(30)), await run(books(30))];
  await app.sql(
    `UPDATE run_profiles SET verdict = NULL, profile = CASE WHEN execution_id = $2 THEN 'null' ELSE profile END
     WHERE execution_id = ANY($1)`,
    [[damaged.id, good.id], damaged.id],
  );
  await until(
    async () => (await execution(good.id)).verdict,
    verdict => verdict !== null,
  );
  await until(
    () => app.sql('SELECT 1 FROM run_profiles WHERE execution_id = $1', [damaged.id]),
    rows => rows.length === 0,
  );
  expect(await execution(damaged.id)).toMatchObject({ action: 'end', verdict: null });
});

it('the owner can accept the rows of a broken run, and later runs are compared with those from it on', async () => {
  const { run } = await runsOf();
  for (let n = 0; n < 3; n++) await run(books(30));
  const { id, verdict } = await run(books(10));
  expect(verdict.level).toBe('broken');
  const path = `/joint-api/skript-execution/${id}/verdict/accept`;
  expect((await admin('POST', path)).status).toBe(404);
  expect((await developer('POST', path)).body).toMatchObject({ level: 'broken', accepted_at: expect.any(String) });
  expect((await execution(id)).verdict).toHaveProperty('accepted_at');
  expect((await run(books(10))).verdict.level).toBe('new');
  expect((await run(books(11))).verdict.level).toBe('new');
  expect((await run(books(10))).verdict.level).toBe('ok');
  expect((await run(books(30))).verdict.level).toBe('unusual');
});

it.each([
  ['with syntax that JavaScript lacks', '(?i)x', ''],
  ['that is not complete', '(', ''],
  ['with a repeated flag', 'x', 'ii'],
])('a run that stores a regular expression %s ends and is judged', async (_, pattern, flags) => {
  const { run } = await runsOf();
  const rows = books(30, { pattern: new BSONRegExp(pattern, flags) });
  for (let n = 0; n < 3; n++) expect((await run(rows)).verdict.level).toBe('new');
  const { verdict } = await run(books(3, { pattern: new BSONRegExp(pattern, flags) }));
  expect(verdict).toMatchObject({ level: 'broken', findings: [{ what: 'rows' }, { field: 'price' }] });
});

it('a run whose profile cannot be saved ends without a verdict', async () => {
  const { run } = await runsOf();
  const save = jest.spyOn(app.part(VerdictsRepository), 'saveProfile').mockRejectedValue(new Error('no room'));
  expect(await run(books(30))).toMatchObject({ action: 'end', rows: 30, verdict: null });
  save.mockRestore();
});

it('PostgreSQL can read the profile of a run that stores NUL characters', async () => {
  const { run } = await runsOf();
  const { id } = await run(books(30, { title: 'a\0b' }));
  const paths = await app.sql(
    `SELECT f->>'path' AS path FROM run_profiles p, json_array_elements(p.profile->'targets') t,
       json_array_elements(t->'fields') f WHERE p.execution_id = $1`,
    [id],
  );
  expect(paths).toContainEqual({ path: 'title' });
});

it('runs that end together are judged together, and later ones are compared with earlier ones', async () => {
  const { run } = await runsOf();
  const ids: string[] = [];
  for (const count of [30, 31, 30, 29, 3, 30]) ids.push((await run(books(count))).id);
  await app.sql('UPDATE run_profiles SET verdict = NULL WHERE execution_id = ANY($1)', [ids]);
  const reads = jest.spyOn(app.part(VerdictsRepository), 'earlierGoodRuns');
  const verdicts = await Promise.all(ids.map(id => app.part(VerdictsService).judge(id)));
  expect(verdicts.map(verdict => verdict?.level)).toEqual(['new', 'new', 'new', 'ok', 'broken', 'ok']);
  // The first one, the others, and the search for runs without a verdict.
  expect(reads.mock.calls.length).toBeLessThanOrEqual(3);
  reads.mockRestore();
});
