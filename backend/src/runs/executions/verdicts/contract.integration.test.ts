import { randomUUID } from 'node:crypto';
import type { RequestedHost } from '@trawl/contracts';
import { ObjectId } from 'bson';
import { encodeMessage } from '../../../../../packages/storage/test/bson-messages.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { DueWork } from '../../../platform/database/due-work.service.js';
import { VerdictsRepository } from './verdicts.repository.js';
import { VerdictsService } from './verdicts.service.js';

const { app, developer, admin } = appForFile();
const fleet = fleetForEachTest(app);

const books = (count: number, change: object = {}) =>
  Array.from({ length: count }, (_, n) => ({ sku: `sku-${n}`, price: 5 + n, ...change }));

/** Gives the skript of the fleet a contract, and starts runs that store rows with `dataset.push`. */
async function runsWith(rows: object | null, input: unknown = randomUUID()) {
  const worker = await fleet.connect();
  const setContract = async (contract: object | null) => {
    const { status } = await developer('PUT', `/joint-api/skripts/${fleet.skriptId}`, { rows: contract });
    expect(status).toBe(200);
  };
  await setContract(rows);
  const run = async (stored: object[], more: { requests?: RequestedHost[] } = {}, query = '') => {
    const answer = fleet.start({ input }, `wait_ms=60000${query}`);
    const { id, token, skript } = await worker.offers.next();
    const docs = stored.map(row => ({ _id: new ObjectId(), _run: id, _at: new Date(), ...row }));
    const args = encodeMessage({ docs, ordered: true });
    const op = { collection: `dataset_${skript.id}`, method: 'insertMany', args, resend: false, rows: docs.length };
    if (docs.length > 0)
      await worker.send('storage', { epoch: worker.welcome.epoch, id, op_id: 1, token, op } as never);
    await worker.finish(id, { ...(docs.length > 0 ? { rows: docs.length } : {}), ...more });
    return (await answer).body;
  };
  return { worker, run, setContract };
}

const textsOf = ({ verdict }: { verdict: { findings: { text: string }[] } }) =>
  verdict.findings.map(({ text }) => text);
const notices = async (skript: string) => {
  const { items } = (await developer('GET', '/joint-api/account/notices/list')).body;
  return (items as { text: string }[]).map(({ text }) => text).filter(text => text.includes(`“${skript}”`));
};
const alarmsDue = (kind: string) =>
  app.sql(`UPDATE row_alarms SET due_at = now() - interval '1 s' WHERE kind = $1 AND skript_id = $2`, [
    kind,
    fleet.skriptId,
  ]);

it('the first run is broken if its rows violate the contract, with sentences, figures and rows', async () => {
  const { run } = await runsWith({ min: 30, fill: { price: 0.95, 'shop.city': 0.5 } });
  const first = await run(books(20).map((book, n) => (n < 10 ? { ...book, price: '' } : book)));
  expect(first.verdict).toMatchObject({
    level: 'broken',
    reason: null,
    findings: [
      { what: 'rows', was: 30, now: 20, text: 'The dataset got 20 rows; the contract wants at least 30.' },
      {
        what: 'filled',
        field: 'price',
        was: 0.95,
        now: 0.5,
        text: 'price was filled in 50 % of rows; the contract wants at least 95 %.',
        rows: [{ price: '' }, { price: '' }, { price: '' }],
      },
      { what: 'filled', field: 'shop.city', now: 0 },
    ],
  });
  expect((await run(books(40, { shop: { city: 'Split' } }))).verdict).toMatchObject({ level: 'new', findings: [] });
});

it('a run that stores nothing violates a contract with a least number of rows', async () => {
  const { run } = await runsWith({ min: 1 });
  expect(textsOf(await run([]))).toEqual(['The dataset got 0 rows; the contract wants at least 1.']);
});

it('rows are checked against the schema while they arrive, without the fields that Trawl sets', async () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: { sku: { type: 'string' }, price: { type: 'number' }, seen: { type: 'string', format: 'date-time' } },
  };
  const { run } = await runsWith({ schema });
  expect((await run(books(10, { seen: new Date() }))).verdict.level).toBe('new');
  const broken = await run(books(10).map((book, n) => (n < 4 ? { ...book, price: 'free' } : book)));
  expect(broken.verdict).toMatchObject({
    level: 'broken',
    findings: [{ what: 'schema', field: 'price', now: 0.4, rows: [{ sku: 'sku-0', price: 'free' }, {}, {}] }],
  });
  expect(textsOf(broken)[0]).toContain('The schema refuses price in 40 % of rows: ');
});

it('a schema that is slow for some rows holds up no push, and the verdict says that it was not checked', async () => {
  // It is fast for repetitions of one character, so it is not refused.
  const { run } = await runsWith({ schema: { properties: { text: { pattern: '^(ab|abab)*$' } } } });
  const { verdict } = await run([{ text: `${'ab'.repeat(60)}!` }, ...books(3)]);
  expect(verdict).toMatchObject({ level: 'unusual', findings: [{ what: 'schema', level: 'unusual' }] });
  expect(textsOf({ verdict })[0]).toContain('took longer than');
});

it('with on_broken fail, a broken run ends with rows_broken, keeps its verdict, and is retried', async () => {
  const { worker, run } = await runsWith({ min: 5, on_broken: 'fail' });
  const failed = await run(books(3));
  expect(failed).toMatchObject({
    action: 'error',
    error_code: 'rows_broken',
    error_stack: 'The dataset got 3 rows; the contract wants at least 5.',
    output: null,
    verdict: { level: 'broken' },
  });
  expect(await run([])).toMatchObject({ action: 'error', error_code: 'rows_broken' });
  expect(await run(books(5))).toMatchObject({ action: 'end', error_code: null, verdict: { level: 'new' } });
  const retried = run(books(1), {}, '&retries=1&retry_delay_ms=0');
  const { id } = await worker.offers.next();
  expect((await developer('GET', `/joint-api/skript-execution/${id}`)).body).toMatchObject({ attempt: 2 });
  await worker.finish(id, {});
  expect((await retried).error_code).toBe('rows_broken');
});

it('on_broken fail applies to runs that start after it is set', async () => {
  const { worker, run, setContract } = await runsWith(null);
  const original = fleet.start({ input: randomUUID() }, 'wait_ms=60000');
  const { id } = await worker.offers.next();
  await setContract({ min: 5, on_broken: 'fail' });
  await worker.finish(id);
  expect((await original).body).toMatchObject({ action: 'end', error_code: null });
  expect(await run([])).toMatchObject({ action: 'error', error_code: 'rows_broken' });
});

/** Starts a run and judges it, as a backend does that is killed before it ends the run. */
async function judgedLiveRun(worker: Awaited<ReturnType<typeof fleet.connect>>) {
  const answer = fleet.start({ input: randomUUID() }, 'wait_ms=60000');
  const { id } = await worker.offers.next();
  await app.part(VerdictsService).judgeFirst([{ id, workerId: fleet.workerId }]);
  return { id, answer };
}

it('with on_broken fail, a run that was judged before its backend was killed ends by its verdict', async () => {
  const { worker } = await runsWith({ min: 5, on_broken: 'fail' });
  const broken = await judgedLiveRun(worker);
  await worker.finish(broken.id);
  expect((await broken.answer).body).toMatchObject({ action: 'error', error_code: 'rows_broken' });
  const accepted = await judgedLiveRun(worker);
  await developer('POST', `/joint-api/skript-execution/${accepted.id}/verdict/accept`);
  await worker.finish(accepted.id);
  expect((await accepted.answer).body).toMatchObject({ action: 'end', error_code: null });
});

it('a run whose profile PostgreSQL refuses is judged by the number of its rows, and not as empty', async () => {
  const { run } = await runsWith({ min: 5, on_broken: 'fail' });
  const save = jest.spyOn(app.part(VerdictsRepository), 'saveProfile').mockRejectedValue(new Error('refused'));
  expect(await run(books(9))).toMatchObject({ action: 'end', verdict: { level: 'new' } });
  expect(textsOf(await run(books(2)))).toEqual(['The dataset got 2 rows; the contract wants at least 5.']);
  save.mockRestore();
});

it('the rows of a run whose profile PostgreSQL refuses are held until its verdict', async () => {
  const { run } = await runsWith({ min: 5, on_broken: 'hold' });
  jest.spyOn(app.part(VerdictsRepository), 'saveProfile').mockRejectedValueOnce(new Error('refused'));
  expect((await run(books(2))).verdict).toMatchObject({ level: 'broken', is_held: true });
});

it('a run whose profile cannot be saved during an outage ends when the worker reports its end again', async () => {
  const { worker } = await runsWith({ min: 1, on_broken: 'fail' });
  const answer = fleet.start({ input: randomUUID() }, 'wait_ms=60000');
  const { id } = await worker.offers.next();
  const outage = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  jest.spyOn(app.part(VerdictsRepository), 'saveProfile').mockRejectedValueOnce(outage);
  expect(await worker.finish(id, { rows: 3 })).toHaveProperty('error');
  expect(await worker.finish(id, { rows: 3 })).toEqual({ result: 'ok' });
  expect((await answer).body).toMatchObject({ action: 'end', verdict: { level: 'new' } });
});

it('the rows of a run that cannot be judged stay held until the owner accepts them', async () => {
  const { run } = await runsWith({ min: 1, on_broken: 'hold' });
  const { id } = await run(books(5));
  await app.sql(`UPDATE run_profiles SET verdict = NULL, is_held = true, profile = 'null' WHERE execution_id = $1`, [
    id,
  ]);
  await until(
    async () =>
      (
        await app.sql<{ verdict: { is_held?: boolean } | null }>(
          'SELECT verdict FROM run_profiles WHERE execution_id = $1',
          [id],
        )
      )[0]?.verdict,
    verdict => verdict?.is_held === true,
  );
  const repository = app.part(VerdictsRepository);
  expect(await repository.holdOn(id)).toBe('broken');
  expect((await developer('POST', `/joint-api/skript-execution/${id}/verdict/accept`)).body.is_held).toBe(false);
  expect(await repository.holdOn(id)).toBeNull();
});

it('with on_broken fail, a run that cannot be judged lets no other broken run of its batch end well', async () => {
  const { worker } = await runsWith({ min: 5, on_broken: 'fail' });
  const ids: string[] = [];
  for (let n = 0; n < 2; n++) {
    await fleet.start({ input: randomUUID() });
    ids.push((await worker.offers.next()).id);
  }
  const [damaged = '', empty = ''] = ids;
  await app.sql(`INSERT INTO run_profiles (execution_id, skript_id, input_key, profile) VALUES ($1, $2, '', 'null')`, [
    damaged,
    fleet.skriptId,
  ]);
  const finishes = ids.map(id => ({ id, workerId: fleet.workerId }));
  const verdicts = await app.part(VerdictsService).judgeFirst(finishes);
  expect([verdicts.get(damaged)?.level, verdicts.get(empty)?.level]).toEqual(['new', 'broken']);
});

it('with on_broken hold, exports leave out the rows of a broken run until the owner accepts them', async () => {
  const { run } = await runsWith({ min: 5, on_broken: 'hold' });
  const good = await run(books(5));
  const held = await run(books(2));
  expect([good.verdict.is_held, held.verdict.is_held]).toEqual([undefined, true]);
  const exported = async (path: string) => {
    const response = await fetch(`${app.url}/joint-api/${path}/export?format=ndjson`, {
      headers: { authorization: `Bearer ${await app.token('developer')}` },
    });
    const text = await response.text();
    return response.ok ? text.trim().split('\n').length : { status: response.status, text };
  };
  const { items } = (await developer('GET', '/joint-api/mongo-databases/list')).body;
  const ofCollection = `mongo/${items[0].id}/dataset_${fleet.skriptId}`;
  const ofRun = `skript-execution/${held.id}/rows`;
  expect(await exported(ofCollection)).toBe(5);
  expect(await exported(ofRun)).toEqual({ status: 409, text: expect.stringContaining('are held') });
  const path = `/joint-api/skript-execution/${held.id}/verdict/accept`;
  expect((await admin('POST', path)).status).toBe(404);
  expect((await developer('POST', path)).body).toMatchObject({ level: 'broken', is_held: false });
  expect([await exported(ofCollection), await exported(ofRun)]).toEqual([7, 2]);
});

it('the account is told that rows are too old, each day while it lasts, and that they are new again', async () => {
  const { run } = await runsWith({ fresh_hours: 2 });
  const { skript } = await run(books(3));
  const { name } = skript;
  await alarmsDue('fresh');
  await until(
    () => notices(name),
    texts => texts.length === 1,
  );
  await alarmsDue('fresh');
  expect(
    await until(
      () => notices(name),
      texts => texts.length === 2,
    ),
  ).toEqual([`The rows of “${name}” are still too old`, `The rows of “${name}” are too old`]);
  await run(books(3));
  expect((await notices(name))[0]).toBe(`“${name}” has new rows again`);
  await run(books(3));
  expect(await notices(name)).toHaveLength(3);
});

it('a skript that never ran is too old when the time of its contract is over, and not without the contract', async () => {
  const { body } = await developer('POST', '/joint-api/skripts/addnew', {
    title: `Idle ${randomUUID()}`,
    rows: { fresh_hours: 1 },
  });
  const due = () => app.sql('SELECT due_at, told_at FROM row_alarms WHERE skript_id = $1', [body.id]);
  expect(await due()).toEqual([{ due_at: expect.any(Date), told_at: null }]);
  await app.sql(`UPDATE row_alarms SET due_at = now() WHERE skript_id = $1`, [body.id]);
  await until(
    () => notices(body.title),
    texts => texts.length === 1,
  );
  await developer('PUT', `/joint-api/skripts/${body.id}`, { rows: { min: 1 } });
  expect(await due()).toEqual([]);
});

it('while rows stay broken, the account is told once a day how many runs were, and not without a run', async () => {
  const { run } = await runsWith({ min: 5 });
  const { skript } = await run(books(2));
  for (let n = 0; n < 3; n++) await run(books(2));
  expect(await notices(skript.name)).toEqual([`The rows of “${skript.name}” are broken`]);
  await alarmsDue('broken');
  await until(
    () => notices(skript.name),
    texts => texts.length === 2,
  );
  await alarmsDue('broken');
  await app.part(DueWork).look();
  await until(
    () => app.sql('SELECT 1 FROM row_alarms WHERE due_at <= now()'),
    rows => rows.length === 0,
  );
  await run(books(9));
  expect(await notices(skript.name)).toEqual([
    `The rows of “${skript.name}” are right again`,
    `The rows of “${skript.name}” are still broken`,
    `The rows of “${skript.name}” are broken`,
  ]);
});

it('two judges that judge broken runs of a skript at the same time tell it once', async () => {
  const { run } = await runsWith(null);
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push((await run(books(n < 4 ? 30 : 2))).id);
  const { skript } = await run(books(30));
  const before = await notices(skript.name);
  await app.sql('UPDATE run_profiles SET verdict = NULL WHERE execution_id = ANY($1)', [ids.slice(4)]);
  const other = new VerdictsService(
    ...(['repository', 'dueWork', 'cleanups', 'alarms', 'logger'].map(
      name => (app.part(VerdictsService) as unknown as Record<string, unknown>)[name],
    ) as ConstructorParameters<typeof VerdictsService>),
  );
  const [one, two] = await Promise.all([app.part(VerdictsService).judge(String(ids[4])), other.judge(String(ids[5]))]);
  expect([one?.level, two?.level]).toEqual(['broken', 'broken']);
  const after = await notices(skript.name);
  expect(after.slice(0, after.length - before.length)).toEqual([`The rows of “${skript.name}” are broken`]);
});

it('a host that blocks requests is a finding, unless it usually does', async () => {
  const { run } = await runsWith(null);
  const requests = [
    { host: 'shop.example', count: 60, blocked: 12 },
    { host: 'cdn.example', count: 100, blocked: 1 },
  ];
  const blocked = await run([], { requests });
  expect(blocked.verdict).toMatchObject({
    level: 'unusual',
    findings: [{ what: 'blocked', target: 'requests:shop.example', was: 0, now: 0.2 }],
  });
  expect(textsOf(blocked)[0]).toContain('shop.example blocked 12 of 60 requests');
  for (let n = 0; n < 2; n++) await run([], { requests });
  expect(textsOf(await run([], { requests }))).toEqual([]);
});

it('a run is offered with the key of the contract, the default of its rows', async () => {
  const { worker, setContract } = await runsWith({ key: ['sku', 'shop'] });
  const offered = async () => {
    await fleet.start({ input: randomUUID() });
    const { id, row_key } = await worker.offers.next();
    await worker.finish(id, {});
    return row_key;
  };
  expect(await offered()).toEqual(['sku', 'shop']);
  await setContract({ key: 'sku' });
  expect(await offered()).toBe('sku');
  await setContract(null);
  expect(await offered()).toBeUndefined();
});
