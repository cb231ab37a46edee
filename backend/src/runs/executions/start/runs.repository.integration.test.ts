import { DataSource } from 'typeorm';
import { appForFile } from '../../../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import type { Inserted, StartRequest } from './prepared-start.js';
import { RunInserts } from './run-inserts.service.js';
import { StartPreparation } from './start-preparation.service.js';
import { StartsService } from './starts.service.js';

const { app, developer } = appForFile();
let fleet: TestFleet;
let starts: StartsService;
let database: DataSource;
let ownerId: string;

beforeAll(async () => {
  fleet = await makeWorkerAndSkript(app, 'together');
  starts = app.part(StartsService);
  database = app.part(DataSource);
  ownerId = (await developer('GET', '/joint-api/account')).body.id;
});
afterEach(async () => {
  await app.sql('TRUNCATE live_runs, executions, daily_runs, start_keys');
  await app.sql(`UPDATE users SET quotas = '{}'`);
});

interface Wish extends Partial<StartRequest> {
  value?: unknown;
  owner?: string;
}

const request = ({ value = 0, owner: _, ...rest }: Wish): StartRequest => ({
  workerId: fleet.workerId,
  skriptId: fleet.skriptId,
  force: false,
  input: { value },
  inputSecret: null,
  ...rest,
});

/**
 * Inserts one batch in one transaction. `meanwhile` is called after the starts are prepared and before they are
 * inserted.
 */
async function insert(wishes: Wish[], meanwhile?: () => Promise<unknown>) {
  const prepared = await Promise.all(wishes.map(wish => starts.prepare(wish.owner ?? ownerId, request(wish))));
  await meanwhile?.();
  const inserted = await database.transaction(manager => app.part(RunInserts).insertWithin(manager, prepared));
  return { ids: prepared.map(({ id }) => id), inserted };
}

const said = (inserted: Inserted[]) => inserted.map(one => (typeof one === 'string' ? one : [one.code, one.details]));
const live = async () =>
  (await app.sql<{ id: string }>('SELECT execution_id AS id FROM live_runs ORDER BY 1')).map(({ id }) => id);

describe('a batch of starts', () => {
  it('refuses a start of a deleted skript and inserts the others', async () => {
    const gone = await makeWorkerAndSkript(app, 'gone');
    const { ids, inserted } = await insert([{ value: 1 }, { skriptId: gone.skriptId }, { value: 2 }], () =>
      app.sql('DELETE FROM skripts WHERE id = $1', [gone.skriptId]),
    );
    expect(said(inserted)).toEqual([ids[0], ['not_found', undefined], ids[2]]);
    expect(await live()).toEqual([ids[0], ids[2]].sort());
  });

  it('inserts one of several identical starts and refuses the others with the id of its run', async () => {
    const { ids, inserted } = await insert([{}, {}, { value: 1 }, {}]);
    const refused = ['already_running', { execution_id: ids[0] }];
    expect(said(inserted)).toEqual([ids[0], refused, ids[2], refused]);
    const again = await insert([{}, {}, { value: 2 }]);
    expect(said(again.inserted)).toEqual([refused, refused, again.ids[2]]);
  });

  it('inserts all forced starts and refuses an unforced start of the same run', async () => {
    const { ids, inserted } = await insert([{ force: true }, {}, { force: true }]);
    expect(said(inserted)).toEqual([ids[0], ['already_running', { execution_id: ids[0] }], ids[2]]);
  });

  it('inserts as many starts as the quota allows, not counting those refused for other reasons', async () => {
    const admin = await app.as('admin');
    const other = (await admin('GET', '/joint-api/account')).body.id;
    const skript = (await admin('POST', '/joint-api/skripts/addnew', { title: 'of another' })).body.id;
    const file = { skript_id: skript, name: 'main.js', content: 'module.exports = async () => 1;\n' };
    await admin('POST', '/joint-api/skript-files/addnew', file);
    const allow = (quotas: object) =>
      app.sql('UPDATE users SET quotas = $2 WHERE id = $1', [ownerId, JSON.stringify(quotas)]);

    await allow({ runs_at_once: 2, runs_per_day: 3 });
    const first = await insert([
      { value: 1 },
      { value: 1 },
      { owner: other, skriptId: skript },
      { value: 2 },
      { value: 3 },
      { value: 3 },
    ]);
    const atOnce = ['quota_exceeded', { quota: 'runs_at_once', limit: 2, used: 2 }];
    expect(said(first.inserted)).toEqual([
      first.ids[0],
      ['already_running', { execution_id: first.ids[0] }],
      first.ids[2],
      first.ids[3],
      atOnce,
      atOnce,
    ]);
    expect(await app.sql('SELECT owner_id, runs FROM daily_runs')).toEqual([{ owner_id: ownerId, runs: 2 }]);

    await app.sql('DELETE FROM live_runs');
    const second = await insert([{ value: 1 }, { value: 2 }]);
    const perDay = ['quota_exceeded', { quota: 'runs_per_day', limit: 3, used: 3 }];
    expect(said(second.inserted)).toEqual([second.ids[0], perDay]);
    expect(await app.sql('SELECT runs FROM daily_runs')).toEqual([{ runs: 3 }]);
  });

  it('frees the Idempotency-Key of a refused start, and returns the run of a key that was used before', async () => {
    const keyed = [{ idempotencyKey: 'a' }, { idempotencyKey: 'b' }];
    const { ids, inserted } = await insert(keyed);
    expect(said(inserted)).toEqual([ids[0], ['already_running', { execution_id: ids[0] }]]);
    await app.sql('DELETE FROM live_runs');
    const again = await insert(keyed);
    expect(said(again.inserted)).toEqual([ids[0], again.ids[1]]);
  });

  it('inserts all starts even if their inputs together have several megabytes', async () => {
    const large = 'x'.repeat(250_000);
    const { ids, inserted } = await insert(Array.from({ length: 40 }, (_, n) => ({ value: `${n} ${large}` })));
    expect(inserted).toEqual(ids);
    expect(await live()).toEqual([...ids].sort());
  });
});

describe('starts that arrive while another start is being committed', () => {
  const COUNT = 10;

  /**
   * Makes several starts at once. A lock on the skript holds up the first insert until all other starts have arrived.
   */
  async function atOnce(wishes: Wish[]) {
    const prepared = jest.spyOn(app.part(StartPreparation), 'prepare');
    const blocker = database.createQueryRunner();
    try {
      await blocker.startTransaction();
      await blocker.query('SELECT 1 FROM skripts WHERE id = $1 FOR UPDATE', [fleet.skriptId]);
      const started = Promise.allSettled(wishes.map(wish => starts.start({ id: ownerId }, request(wish))));
      await until(
        async () => prepared.mock.results,
        results => results.length === wishes.length,
      );
      await Promise.all(prepared.mock.results.map(({ value }) => value));
      await until(
        () => app.sql(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`),
        waiting => waiting.length > 0,
      );
      await blocker.commitTransaction();
      return await started;
    } finally {
      if (blocker.isTransactionActive) await blocker.rollbackTransaction();
      await blocker.release();
      prepared.mockRestore();
    }
  }
  const wishes = Array.from({ length: COUNT }, (_, value) => ({ value }));
  const commits = async () =>
    (await app.sql<{ n: number }>('SELECT count(DISTINCT xmin::text)::int AS n FROM executions'))[0]?.n;

  it('are all inserted in the next transaction', async () => {
    const started = await atOnce(wishes);
    expect(started.map(({ status }) => status)).toEqual(wishes.map(() => 'fulfilled'));
    expect(await live()).toHaveLength(COUNT);
    expect(await commits()).toBe(2);
  });

  it('are inserted even if PostgreSQL refuses one of them', async () => {
    const { body } = await developer('POST', '/joint-api/inputs/addnew', {
      skript_id: fleet.skriptId,
      name: 'input-refused.json',
      val: 'refused',
    });
    await app.sql(`ALTER TABLE executions ADD CONSTRAINT refuses CHECK (input_name <> 'input-refused.json')`);
    try {
      const started = await atOnce([...wishes, { input: { id: body.id } }]);
      const refused = { status: 'rejected', reason: { code: '23514' } };
      expect(started).toMatchObject([...wishes.map(() => ({ status: 'fulfilled' })), refused]);
      expect(await live()).toHaveLength(COUNT);
      const many = await starts
        .startAll({ id: ownerId }, [request({ value: 'many' }), request({ input: { id: body.id } })])
        .catch(error => error);
      expect(many).toMatchObject({ code: '23514' });
    } finally {
      await app.sql('ALTER TABLE executions DROP CONSTRAINT refuses');
    }
  });
});
