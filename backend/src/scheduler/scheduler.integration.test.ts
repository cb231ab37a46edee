import { type Api, startTestApp, type TestApp } from '../../test/test-app.js';
import { mailsTo } from '../../test/test-mails.js';
import { dueBefore, firesOf, makeSchedule, tick } from '../../test/test-schedules.js';
import { makeWorkerAndSkript, type TestFleet, TestWorker } from '../../test/test-worker.js';
import { until } from '../../test/until.js';

jest.setTimeout(60_000);

let app: TestApp;
let developer: Api;
let fleet: TestFleet;
let worker: TestWorker | undefined;
let count = 0;

beforeAll(async () => {
  app = await startTestApp();
  developer = await app.as('developer');
});
afterAll(() => app?.close());
beforeEach(async () => {
  fleet = await makeWorkerAndSkript(app, `fires-${++count}`);
});
afterEach(() => {
  worker?.close();
  worker = undefined;
});

const make = (fields: object = {}) =>
  makeSchedule(developer, { skript_id: fleet.skriptId, worker_id: fleet.workerId, ...fields });
const schedule = async (id: string) => (await developer('GET', `/joint-api/schedules/${id}`)).body;
const runsOf = async (id: string) =>
  (await developer('GET', `/joint-api/skript-execution/list?schedule_id=${id}`)).body.items;
const outcomes = async (id: string) => (await firesOf(developer, id)).map(({ outcome }) => outcome);
const ended = (executionId: string) =>
  until(
    async () => (await developer('GET', `/joint-api/skript-execution/${executionId}`)).body,
    ({ action }) => action !== 'start',
  );
/** Ends what goes on, as its owner would. */
const stopAll = () => developer('GET', `/joint-api/execute-skript/single-worker/stop?skript_id=${fleet.skriptId}`);

describe('a schedule that is due', () => {
  it('makes one run, with its stored input, and is due again at its next time', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const input = { skript_id: fleet.skriptId, name: 'input.json', val: { page: 7 } };
    const input_id = (await developer('POST', '/joint-api/inputs/addnew', input)).body.id;
    const { id } = await make({ input_id, name: `Seventh page ${count}` });
    const fireAt = await dueBefore(app, id, 1);
    await tick(app);
    const offer = await worker.offers.next();
    expect(offer.input).toBe('{"page":7}');
    const [fire, ...more] = await firesOf(developer, id);
    expect(more).toEqual([]);
    expect(fire).toMatchObject({
      schedule_id: id,
      fire_at: fireAt,
      outcome: 'fired',
      manual: false,
      reason_code: null,
      reason: null,
      left_out: 0,
      execution: { id: offer.id, action: 'start', error_code: null },
    });
    const [run, ...others] = await runsOf(id);
    expect(others).toEqual([]);
    expect([run.id, run.schedule]).toEqual([offer.id, { id, name: `Seventh page ${count}` }]);
    const after = await schedule(id);
    expect([after.counter, after.triggered]).toEqual([1, [expect.any(String)]]);
    expect(after.next_fire_at).toBe(after.next_fires[0]);
    await worker.finish(offer.id);
  });

  it('gives its runs the retries that it says, and those are runs of the schedule, too', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { id } = await make({ retries: 1, retry_delay_ms: 0, overlap: 'skip' });
    await dueBefore(app, id, 30);
    await tick(app);
    const first = await worker.offers.next();
    await worker.finish(first.id, { action: 'error', output: null, error_code: 'exception', error_stack: 'Error: no' });
    const retry = await worker.offers.next();
    expect((await runsOf(id)).map((run: any) => [run.id, run.attempt, run.schedule.id])).toEqual([
      [retry.id, 2, id],
      [first.id, 1, id],
    ]);
    await dueBefore(app, id, 20);
    await tick(app);
    expect((await firesOf(developer, id))[0].reason).toContain(retry.id);
    await worker.finish(retry.id);
  });

  it('shows its ten latest runs, and counts all', async () => {
    const { id } = await make({ overlap: 'allow', catch_up: 'all', cron_span: '* * * * *' });
    await dueBefore(app, id, 12 * 60);
    await tick(app);
    const { counter, triggered } = await schedule(id);
    expect([counter, triggered.length]).toEqual([(await firesOf(developer, id)).length, 10]);
    expect(counter).toBeGreaterThanOrEqual(12);
    expect(triggered).toEqual([...triggered].sort().reverse());
    await stopAll();
  });

  it('makes no run while it is disabled', async () => {
    const { id } = await make({ enabled: false });
    await dueBefore(app, id, 1);
    await tick(app);
    expect(await firesOf(developer, id)).toEqual([]);
  });

  it('waits for a worker that is offline, and says so', async () => {
    const { id } = await make();
    await dueBefore(app, id, 1);
    await tick(app);
    const [run] = await runsOf(id);
    expect([run.action, run.waiting_for.reason]).toEqual(['start', 'worker_offline']);
    await stopAll();
  });
});

describe('a fire that can make no run is recorded with its reason, and the schedule goes on', () => {
  async function skippedFire(fields: object, breakIt: (id: string) => Promise<unknown>): Promise<any> {
    const { id } = await make(fields);
    await breakIt(id);
    await dueBefore(app, id, 1);
    await tick(app);
    const [fire] = await firesOf(developer, id);
    expect([fire.outcome, fire.execution, await runsOf(id)]).toEqual(['skipped', null, []]);
    const { enabled, counter, next_fire_at, next_fires } = await schedule(id);
    expect([enabled, counter, next_fire_at]).toEqual([true, 0, next_fires[0]]);
    return fire;
  }

  it.each([
    ['inputs', 'input.json', 'input_id'],
    ['input-secrets', 'inputSecret.json', 'inputSecret_id'],
  ])('when its stored value in %s was deleted', async (kind, name, field) => {
    const body = { skript_id: fleet.skriptId, name, val: 1 };
    const { id } = (await developer('POST', `/joint-api/${kind}/addnew`, body)).body;
    const fire = await skippedFire({ [field]: id }, () => developer('DELETE', `/joint-api/${kind}/${id}`));
    expect(fire.reason_code).toBe('not_found');
    expect(fire.reason).toContain(id);
  });

  it('when its worker is gone', async () => {
    const fire = await skippedFire({}, () => app.sql('DELETE FROM workers WHERE id = $1', [fleet.workerId]));
    expect([fire.reason_code, fire.reason]).toEqual(['not_found', expect.stringContaining(fleet.workerId)]);
  });

  it('of which its owner hears once a day, by e-mail and in the schedule, until it makes a run again', async () => {
    const tomorrow = () => app.sql(`UPDATE schedules SET problem_told_at = problem_told_at - interval '25 hours'`);
    const userId = (await developer('GET', '/joint-api/account')).body.id;
    const { id } = await make({ name: `Told ${count}` });
    let secondsAgo = 40;
    const fire = async () => {
      secondsAgo -= 5;
      await dueBefore(app, id, secondsAgo);
      await tick(app);
    };
    const address = `owner-${count}@example.com`;
    await app.sql('UPDATE users SET username = $2 WHERE id = $1', [userId, address]);
    try {
      await app.sql('UPDATE workers SET public = false WHERE id = $1', [fleet.workerId]);
      await fire();
      const [mail] = await mailsTo(app, address, 1);
      expect(mail?.subject).toBe(`Your schedule “Told ${count}” made no run`);
      expect(mail?.text).toContain(fleet.workerId);
      const { problem } = await schedule(id);
      expect(problem).toMatchObject({ code: 'not_found', message: expect.stringContaining(fleet.workerId) });
      await fire();
      await mailsTo(app, address, 1);
      await tomorrow();
      await fire();
      await mailsTo(app, address, 2);
      expect((await schedule(id)).problem.since).toBe(problem.since);
      await app.sql('UPDATE workers SET public = true WHERE id = $1', [fleet.workerId]);
      await tomorrow();
      await fire();
      expect((await schedule(id)).problem).toMatchObject({ code: 'worker_offline', since: problem.since });
      const waits = (await mailsTo(app, address, 3)).map(({ subject }) => subject);
      expect(waits).toContain(`A run of your schedule “Told ${count}” waits`);
      await stopAll();
      worker = await TestWorker.connect(app, fleet.key);
      await fire();
      expect((await schedule(id)).problem).toBeNull();
      await mailsTo(app, address, 3);
    } finally {
      await app.sql(`UPDATE users SET username = 'developer' WHERE id = $1`, [userId]);
      await stopAll();
    }
  });

  it('when its owner may not use the worker any more', async () => {
    const fire = await skippedFire({}, () =>
      app.sql('UPDATE workers SET public = false WHERE id = $1', [fleet.workerId]),
    );
    expect(fire.reason_code).toBe('not_found');
  });

  it('when its bundle cannot be built', async () => {
    const { items } = (await developer('GET', `/joint-api/skript-files/list?skript_id=${fleet.skriptId}`)).body;
    const fire = await skippedFire({}, () =>
      developer('PUT', `/joint-api/skript-files/${items[0].id}`, { content: 'const broken =' }),
    );
    expect([fire.reason_code, fire.reason]).toEqual(['bundle_failed', expect.stringContaining('main.js:1')]);
  });

  it('when it has no main.js', async () => {
    const { items } = (await developer('GET', `/joint-api/skript-files/list?skript_id=${fleet.skriptId}`)).body;
    const fire = await skippedFire({}, () => developer('DELETE', `/joint-api/skript-files/${items[0].id}`));
    expect(fire.reason_code).toBe('main_missing');
  });

  it('when its owner’s account is disabled', async () => {
    const disabled = (moment: string) =>
      app.sql(`UPDATE users SET disabled_at = ${moment} WHERE username = 'developer'`);
    const { id } = await make();
    await dueBefore(app, id, 1);
    await disabled('now()');
    await tick(app);
    await disabled('NULL');
    const [fire] = await app.sql('SELECT outcome, reason_code FROM schedule_fires WHERE schedule_id = $1', [id]);
    expect(fire).toEqual({ outcome: 'skipped', reason_code: 'owner_disabled' });
  });

  it('when a quota is reached', async () => {
    const { id: owner } = (await developer('GET', '/joint-api/account')).body;
    const allow = (quotas: object) =>
      app.sql('UPDATE users SET quotas = $2 WHERE id = $1', [owner, JSON.stringify(quotas)]);
    await developer('POST', '/joint-api/execute-skript/single-worker/start?wait_ms=0', {
      worker_id: fleet.workerId,
      skript_id: fleet.skriptId,
      input: 'another',
    });
    const fire = await skippedFire({}, () => allow({ runs_at_once: 1 }));
    await allow({});
    expect([fire.reason_code, fire.reason]).toEqual(['quota_exceeded', expect.stringContaining('1 run at once')]);
    await stopAll();
  });

  it('when PostgreSQL refuses its run, which holds up no other schedule', async () => {
    const other = await make({ input_id: null, worker_id: 'any' });
    await app.sql(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE check_violation; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON live_runs FOR EACH ROW WHEN (NEW.worker_id IS NOT NULL) EXECUTE FUNCTION refuse()`,
    );
    const fire = await skippedFire({}, () => dueBefore(app, other.id, 1));
    await app.sql('DROP FUNCTION refuse CASCADE');
    expect(fire.reason_code).toBe('internal_error');
    expect(await outcomes(other.id)).toEqual(['fired']);
    await stopAll();
  });
});

describe('while the run of an earlier fire goes on', () => {
  /** Has one run that goes on, and is due again. */
  async function running(fields: object): Promise<{ id: string; first: string }> {
    worker ??= await TestWorker.connect(app, fleet.key, { slots: 8 });
    const { id } = await make(fields);
    await dueBefore(app, id, 30);
    await tick(app);
    const { id: first } = await worker.offers.next();
    await dueBefore(app, id, 20);
    await tick(app);
    return { id, first };
  }

  it('skip makes no run', async () => {
    const { id, first } = await running({ overlap: 'skip' });
    const [fire] = await firesOf(developer, id);
    expect([fire.outcome, fire.reason_code, fire.reason]).toEqual([
      'skipped',
      'overlap',
      expect.stringContaining(first),
    ]);
    await worker?.finish(first);
    await dueBefore(app, id, 10);
    await tick(app);
    expect(await outcomes(id)).toEqual(['fired', 'skipped', 'fired']);
  });

  it('skip makes no run beside the same one that was started by hand either', async () => {
    const { id } = await make({ overlap: 'skip' });
    await developer('POST', '/joint-api/execute-skript/single-worker/start?wait_ms=0', {
      worker_id: fleet.workerId,
      skript_id: fleet.skriptId,
    });
    await dueBefore(app, id, 1);
    await tick(app);
    expect(await firesOf(developer, id)).toMatchObject([{ outcome: 'skipped', reason_code: 'already_running' }]);
    await stopAll();
  });

  it('allow makes another run', async () => {
    const { id } = await running({ overlap: 'allow' });
    expect(await outcomes(id)).toEqual(['fired', 'fired']);
    expect((await runsOf(id)).map(({ action }: any) => action)).toEqual(['start', 'start']);
  });

  it('queue waits for its end, one after the other, each once', async () => {
    const { id, first } = await running({ overlap: 'queue' });
    await dueBefore(app, id, 10);
    await tick(app);
    expect(await outcomes(id)).toEqual(['queued', 'queued', 'fired']);
    expect((await firesOf(developer, id, 'outcome=queued'))[0].reason_code).toBe('waiting');
    await worker?.finish(first);
    await tick(app);
    expect(await outcomes(id)).toEqual(['queued', 'fired', 'fired']);
    await worker?.finish((await worker.offers.next()).id);
    await tick(app);
    const fires = await firesOf(developer, id);
    expect(fires.map(({ outcome, reason_code }) => [outcome, reason_code])).toEqual(Array(3).fill(['fired', null]));
    expect(new Set(fires.map(({ execution }) => execution.id)).size).toBe(3);
    expect((await schedule(id)).counter).toBe(3);
  });

  it('queue waits for the end of the same run that was started by hand', async () => {
    const { id } = await make({ overlap: 'queue' });
    const { body } = await developer('POST', '/joint-api/execute-skript/single-worker/start?wait_ms=0', {
      worker_id: fleet.workerId,
      skript_id: fleet.skriptId,
    });
    await dueBefore(app, id, 1);
    await tick(app);
    expect(await outcomes(id)).toEqual(['queued']);
    await stopAll();
    await ended(body.id);
    await tick(app);
    expect(await outcomes(id)).toEqual(['fired']);
    await stopAll();
  });

  it('queue holds so many and no more', async () => {
    const { id } = await running({ overlap: 'queue' });
    await app.sql(
      `INSERT INTO schedule_fires (id, schedule_id, fire_at, outcome)
       SELECT gen_random_uuid(), $1, now() - n * interval '1 hour', 'queued' FROM generate_series(1, 99) n`,
      [id],
    );
    await dueBefore(app, id, 10);
    await tick(app);
    expect((await firesOf(developer, id))[0]).toMatchObject({ outcome: 'skipped', reason_code: 'queue_full' });
  });

  it('disabling the schedule drops what waits, with that reason', async () => {
    const { id, first } = await running({ overlap: 'queue' });
    await developer('PUT', `/joint-api/schedules/${id}`, { enabled: false });
    await worker?.finish(first);
    await tick(app);
    expect((await firesOf(developer, id)).map(({ outcome, reason_code }) => [outcome, reason_code])).toEqual([
      ['skipped', 'disabled'],
      ['fired', null],
    ]);
  });
});

describe('after an outage', () => {
  it.each([
    ['skip', []],
    ['once', ['fired']],
  ])('of hours, %s', async (catch_up, fired) => {
    const { id } = await make({ catch_up, cron_span: '0 * * * *' });
    await app.sql(
      `UPDATE schedules SET next_fire_at = date_trunc('hour', now()) - interval '4 hours 30 minutes' WHERE id = $1`,
      [id],
    );
    await tick(app);
    const missed = await firesOf(developer, id, 'outcome=missed');
    expect(missed.length).toBeGreaterThanOrEqual(4);
    expect(missed[0]).toMatchObject({ reason_code: 'platform_down', left_out: 0, execution: null });
    // The hour may have begun a moment ago: that fire is on time.
    const runs = (await outcomes(id)).filter(outcome => outcome !== 'missed');
    expect(runs.slice(0, fired.length)).toEqual(fired);
    expect(new Date((await schedule(id)).next_fire_at).getTime()).toBeGreaterThan(Date.now());
    await stopAll();
  });

  it('all makes a run for each', async () => {
    const { id } = await make({ catch_up: 'all', overlap: 'allow', cron_span: '0 * * * *' });
    await app.sql(`UPDATE schedules SET next_fire_at = date_trunc('hour', now()) - interval '5 hours' WHERE id = $1`, [
      id,
    ]);
    // Round by round, some of them perhaps in the background.
    const fires = await until(
      () => outcomes(id),
      all => all.length >= 6,
    );
    expect(new Set(fires)).toEqual(new Set(['fired']));
    await stopAll();
  });

  it('of months lists the latest missed fires and says how many it left out', async () => {
    const { id } = await make({ catch_up: 'skip', cron_span: '0 0 * * *' });
    await app.sql(`UPDATE schedules SET next_fire_at = date_trunc('day', now()) - interval '300 days' WHERE id = $1`, [
      id,
    ]);
    await tick(app);
    const missed = await firesOf(developer, id, 'outcome=missed');
    const oldest = missed.at(-1);
    expect(missed.length).toBe(100);
    expect(oldest.left_out).toBeGreaterThanOrEqual(200);
    expect(oldest.reason).toContain(`${oldest.left_out} fires before it were missed as well`);
    expect(missed.slice(0, -1).every(({ left_out }) => left_out === 0)).toBe(true);
    await stopAll();
  });

  it('what was due while it was disabled was not missed', async () => {
    const { id } = await make({ enabled: false, catch_up: 'all', cron_span: '0 0 1 1 *' });
    await dueBefore(app, id, 86_400);
    await developer('PUT', `/joint-api/schedules/${id}`, { enabled: true });
    await tick(app);
    expect(await firesOf(developer, id)).toEqual([]);
  });
});

describe('a fire that is asked for', () => {
  const trigger = (id: string) => developer('POST', `/joint-api/schedules/${id}/trigger`);

  it('makes a run now, also of a disabled schedule, and moves no time', async () => {
    const { id, next_fire_at } = await make();
    const { status, body } = await trigger(id);
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        schedule_id: id,
        outcome: 'fired',
        manual: true,
        execution: expect.objectContaining({ action: 'start' }),
      }),
    ]);
    const after = await schedule(id);
    expect([after.next_fire_at, after.counter]).toEqual([next_fire_at, 1]);
    await stopAll();
    await ended(body.execution.id);
    await developer('PUT', `/joint-api/schedules/${id}`, { enabled: false });
    expect((await trigger(id)).body.outcome).toBe('fired');
    expect((await schedule(id)).next_fire_at).toBeNull();
    await stopAll();
  });

  it('makes one run however often the call is repeated with its Idempotency-Key', async () => {
    const { id } = await make({ overlap: 'allow' });
    const again = () =>
      developer('POST', `/joint-api/schedules/${id}/trigger`, undefined, { 'idempotency-key': `once-${id}` });
    const fires = await Promise.all([again(), again(), again()]);
    expect(new Set(fires.map(({ body }) => body.execution?.id)).size).toBe(1);
    expect(await runsOf(id)).toHaveLength(1);
    await stopAll();
  });

  it('keeps to the schedule’s own rules', async () => {
    const { id } = await make({ overlap: 'skip' });
    await trigger(id);
    expect((await trigger(id)).body).toMatchObject({ outcome: 'skipped', reason_code: 'overlap', manual: true });
    await stopAll();
  });
});
