import { appForFile } from '../../../test/test-app.js';
import { notificationsTo } from '../../../test/test-mails.js';
import { dueBefore, firesOf, makeSchedule, tick } from '../../../test/test-schedules.js';
import { fleetForEachTest, type TestWorker } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);

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
/** Stops all live runs of the skript, through the API as its owner. */
const stopAll = () => developer('GET', `/joint-api/execute-skript/single-worker/stop?skript_id=${fleet.skriptId}`);

describe('a schedule that is due', () => {
  it('makes one run with its saved input and gets its next fire time', async () => {
    const worker = await fleet.connect();
    const input = { skript_id: fleet.skriptId, name: 'input.json', val: { page: 7 } };
    const input_id = (await developer('POST', '/joint-api/inputs/addnew', input)).body.id;
    const { id } = await make({ input_id, name: 'Seventh page' });
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
    expect([run.id, run.schedule]).toEqual([offer.id, { id, name: 'Seventh page' }]);
    const after = await schedule(id);
    expect([after.counter, after.triggered]).toEqual([1, [expect.any(String)]]);
    expect(after.last_run).toEqual({ id: offer.id, action: 'start', error_code: null });
    expect(after.next_fire_at).toBe(after.next_fires[0]);
    await worker.finish(offer.id);
  });

  it('uses its own retry settings, and the retries count as runs of the schedule', async () => {
    const worker = await fleet.connect();
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

  it('shows the times of its ten latest runs and the number of all runs', async () => {
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

  it('makes a run that waits with the reason worker_offline if its worker is offline', async () => {
    const { id } = await make();
    await dueBefore(app, id, 1);
    await tick(app);
    const [run] = await runsOf(id);
    expect([run.action, run.waiting_for.reason]).toEqual(['start', 'worker_offline']);
    await stopAll();
  });
});

describe('a schedule records a fire without a run and stays enabled', () => {
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
  ])('if its saved value in %s was deleted', async (kind, name, field) => {
    const body = { skript_id: fleet.skriptId, name, val: 1 };
    const { id } = (await developer('POST', `/joint-api/${kind}/addnew`, body)).body;
    const fire = await skippedFire({ [field]: id }, () => developer('DELETE', `/joint-api/${kind}/${id}`));
    expect(fire.reason_code).toBe('not_found');
    expect(fire.reason).toContain(id);
  });

  it('if its worker was deleted', async () => {
    const fire = await skippedFire({}, () => app.sql('DELETE FROM workers WHERE id = $1', [fleet.workerId]));
    expect([fire.reason_code, fire.reason]).toEqual(['not_found', expect.stringContaining(fleet.workerId)]);
  });

  it('and shows the problem and sends one e-mail a day until a fire makes a run again', async () => {
    const tomorrow = async () => {
      await app.sql(`UPDATE schedules SET problem_told_at = problem_told_at - interval '25 hours'`);
      await app.sql(`UPDATE notification_settings SET mailed_at = mailed_at - interval '25 hours'`);
    };
    const userId = (await developer('GET', '/joint-api/account')).body.id;
    const { id } = await make({ name: 'Told' });
    let secondsAgo = 40;
    const fire = async () => {
      secondsAgo -= 5;
      await dueBefore(app, id, secondsAgo);
      await tick(app);
    };
    const address = 'owner@example.com';
    await notificationsTo(app, address, 0);
    await app.sql('UPDATE users SET username = $2 WHERE id = $1', [userId, address]);
    try {
      await app.sql('UPDATE workers SET public = false WHERE id = $1', [fleet.workerId]);
      await fire();
      const [mail] = await notificationsTo(app, address, 1);
      expect(mail?.subject).toBe('Your schedule “Told” made no run');
      expect(mail?.text).toContain(fleet.workerId);
      const { problem } = await schedule(id);
      expect(problem).toMatchObject({ code: 'not_found', message: expect.stringContaining(fleet.workerId) });
      await fire();
      await notificationsTo(app, address, 1);
      await tomorrow();
      await fire();
      await notificationsTo(app, address, 2);
      expect((await schedule(id)).problem.since).toBe(problem.since);
      await app.sql('UPDATE workers SET public = true WHERE id = $1', [fleet.workerId]);
      await tomorrow();
      await fire();
      expect((await schedule(id)).problem).toMatchObject({ code: 'worker_offline', since: problem.since });
      const waits = (await notificationsTo(app, address, 3)).map(({ subject }) => subject);
      expect(waits).toContain('A run of your schedule “Told” is waiting');
      await stopAll();
      await fleet.connect();
      await fire();
      expect((await schedule(id)).problem).toBeNull();
      await notificationsTo(app, address, 3);
    } finally {
      await app.sql(`UPDATE users SET username = 'developer' WHERE id = $1`, [userId]);
      await stopAll();
    }
  });

  it('if its owner may no longer use its worker', async () => {
    const fire = await skippedFire({}, () =>
      app.sql('UPDATE workers SET public = false WHERE id = $1', [fleet.workerId]),
    );
    expect(fire.reason_code).toBe('not_found');
  });

  it('if its skript’s bundle cannot be built', async () => {
    const { items } = (await developer('GET', `/joint-api/skript-files/list?skript_id=${fleet.skriptId}`)).body;
    const fire = await skippedFire({}, () =>
      developer('PUT', `/joint-api/skript-files/${items[0].id}`, { content: 'const broken =' }),
    );
    expect([fire.reason_code, fire.reason]).toEqual(['bundle_failed', expect.stringContaining('main.js:1')]);
  });

  it('if its skript has no main.js', async () => {
    const { items } = (await developer('GET', `/joint-api/skript-files/list?skript_id=${fleet.skriptId}`)).body;
    const fire = await skippedFire({}, () => developer('DELETE', `/joint-api/skript-files/${items[0].id}`));
    expect(fire.reason_code).toBe('main_missing');
  });

  it('if its owner’s account is disabled', async () => {
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

  it('if the owner’s quota of live runs is reached', async () => {
    const { id: owner } = (await developer('GET', '/joint-api/account')).body;
    const allow = (quotas: object) =>
      app.sql('UPDATE users SET quotas = $2 WHERE id = $1', [owner, JSON.stringify(quotas)]);
    await fleet.start({ input: 'another' });
    const fire = await skippedFire({}, () => allow({ runs_at_once: 1 }));
    await allow({});
    expect([fire.reason_code, fire.reason]).toEqual(['quota_exceeded', expect.stringContaining('1 live run')]);
    await stopAll();
  });

  it('if the owner’s quota of waiting runs is reached', async () => {
    const { id: owner } = (await developer('GET', '/joint-api/account')).body;
    const allow = (quotas: object) =>
      app.sql('UPDATE users SET quotas = $2 WHERE id = $1', [owner, JSON.stringify(quotas)]);
    await fleet.start({ input: 'another' });
    const fire = await skippedFire({}, () => allow({ waiting_runs: 1 }));
    await allow({});
    expect([fire.reason_code, fire.reason]).toEqual(['quota_exceeded', expect.stringContaining('1 waiting run')]);
    await stopAll();
  });

  it('if PostgreSQL refuses the run, without delaying other schedules', async () => {
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

describe('a schedule that fires while the run of its earlier fire is live', () => {
  /** Makes a schedule with a live run, and lets its next fire become due and be handled while that run is live. */
  async function running(fields: object): Promise<{ id: string; first: string; worker: TestWorker }> {
    const worker = await fleet.connect({ slots: 8 });
    const { id } = await make(fields);
    await dueBefore(app, id, 30);
    await tick(app);
    const { id: first } = await worker.offers.next();
    await dueBefore(app, id, 20);
    await tick(app);
    return { id, first, worker };
  }

  it('makes no run with overlap skip', async () => {
    const { id, first, worker } = await running({ overlap: 'skip' });
    const [fire] = await firesOf(developer, id);
    expect([fire.outcome, fire.reason_code, fire.reason]).toEqual([
      'skipped',
      'overlap',
      expect.stringContaining(first),
    ]);
    await worker.finish(first);
    await dueBefore(app, id, 10);
    await tick(app);
    expect(await outcomes(id)).toEqual(['fired', 'skipped', 'fired']);
  });

  it('makes no run with overlap skip if the same run was started by hand', async () => {
    const { id } = await make({ overlap: 'skip' });
    await fleet.start();
    await dueBefore(app, id, 1);
    await tick(app);
    expect(await firesOf(developer, id)).toMatchObject([{ outcome: 'skipped', reason_code: 'already_running' }]);
    await stopAll();
  });

  it('makes a second run with overlap allow', async () => {
    const { id } = await running({ overlap: 'allow' });
    expect(await outcomes(id)).toEqual(['fired', 'fired']);
    expect((await runsOf(id)).map(({ action }: any) => action)).toEqual(['start', 'start']);
  });

  it('makes its queued runs one after the other, each once, with overlap queue', async () => {
    const { id, first, worker } = await running({ overlap: 'queue' });
    await dueBefore(app, id, 10);
    await tick(app);
    expect(await outcomes(id)).toEqual(['queued', 'queued', 'fired']);
    expect((await firesOf(developer, id, 'outcome=queued'))[0].reason_code).toBe('waiting');
    await worker.finish(first);
    await tick(app);
    expect(await outcomes(id)).toEqual(['queued', 'fired', 'fired']);
    await worker.finish((await worker.offers.next()).id);
    await tick(app);
    const fires = await firesOf(developer, id);
    expect(fires.map(({ outcome, reason_code }) => [outcome, reason_code])).toEqual(Array(3).fill(['fired', null]));
    expect(new Set(fires.map(({ execution }) => execution.id)).size).toBe(3);
    expect((await schedule(id)).counter).toBe(3);
  });

  it('waits with overlap queue until the same run, started by hand, has ended', async () => {
    const { id } = await make({ overlap: 'queue' });
    const { body } = await fleet.start();
    await dueBefore(app, id, 1);
    await tick(app);
    expect(await outcomes(id)).toEqual(['queued']);
    await stopAll();
    await ended(body.id);
    await tick(app);
    expect(await outcomes(id)).toEqual(['fired']);
    await stopAll();
  });

  it('skips fires beyond the queue limit with overlap queue', async () => {
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

  it('skips its queued fires with the reason `disabled` when it is disabled', async () => {
    const { id, first, worker } = await running({ overlap: 'queue' });
    await developer('PUT', `/joint-api/schedules/${id}`, { enabled: false });
    await worker.finish(first);
    await tick(app);
    expect((await firesOf(developer, id)).map(({ outcome, reason_code }) => [outcome, reason_code])).toEqual([
      ['skipped', 'disabled'],
      ['fired', null],
    ]);
  });
});

describe('a schedule after an outage', () => {
  it.each([
    ['skip', []],
    ['once', ['fired']],
  ])('of hours records its missed fires and follows its catch_up: %s', async (catch_up, fired) => {
    const { id } = await make({ catch_up, cron_span: '0 * * * *' });
    await app.sql(
      `UPDATE schedules SET next_fire_at = date_trunc('hour', now()) - interval '4 hours 30 minutes' WHERE id = $1`,
      [id],
    );
    await tick(app);
    const missed = await firesOf(developer, id, 'outcome=missed');
    expect(missed.length).toBeGreaterThanOrEqual(4);
    expect(missed[0]).toMatchObject({ reason_code: 'platform_down', left_out: 0, execution: null });
    // If this hour has just begun, the fire of this hour is on time and makes a run, too.
    const runs = (await outcomes(id)).filter(outcome => outcome !== 'missed');
    expect(runs.slice(0, fired.length)).toEqual(fired);
    expect(new Date((await schedule(id)).next_fire_at).getTime()).toBeGreaterThan(Date.now());
    await stopAll();
  });

  it('makes a run for each missed fire with catch_up all', async () => {
    const { id } = await make({ catch_up: 'all', overlap: 'allow', cron_span: '0 * * * *' });
    await app.sql(`UPDATE schedules SET next_fire_at = date_trunc('hour', now()) - interval '5 hours' WHERE id = $1`, [
      id,
    ]);
    // Wait: the fires are made in the background, in several rounds.
    const fires = await until(
      () => outcomes(id),
      all => all.length >= 6,
    );
    expect(new Set(fires)).toEqual(new Set(['fired']));
    await stopAll();
  });

  it('of months lists the latest 100 missed fires and counts the earlier ones', async () => {
    const { id } = await make({ catch_up: 'skip', cron_span: '0 0 * * *' });
    await app.sql(`UPDATE schedules SET next_fire_at = date_trunc('day', now()) - interval '300 days' WHERE id = $1`, [
      id,
    ]);
    await tick(app);
    const missed = await firesOf(developer, id, 'outcome=missed');
    const oldest = missed.at(-1);
    expect(missed.length).toBe(100);
    expect(oldest.left_out).toBeGreaterThanOrEqual(200);
    expect(oldest.reason).toContain(`${oldest.left_out} earlier fires were also missed`);
    expect(missed.slice(0, -1).every(({ left_out }) => left_out === 0)).toBe(true);
    await stopAll();
  });

  it('misses no fires that were due while it was disabled', async () => {
    const { id } = await make({ enabled: false, catch_up: 'all', cron_span: '0 0 1 1 *' });
    await dueBefore(app, id, 86_400);
    await developer('PUT', `/joint-api/schedules/${id}`, { enabled: true });
    await tick(app);
    expect(await firesOf(developer, id)).toEqual([]);
  });
});

describe('the trigger of a schedule', () => {
  const trigger = (id: string) => developer('POST', `/joint-api/schedules/${id}/trigger`);

  it('makes a run at once, even if the schedule is disabled, and keeps the next fire time', async () => {
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

  it('repeated with the same Idempotency-Key makes one run', async () => {
    const { id } = await make({ overlap: 'allow' });
    const again = () =>
      developer('POST', `/joint-api/schedules/${id}/trigger`, undefined, { 'idempotency-key': `once-${id}` });
    const fires = await Promise.all([again(), again(), again()]);
    expect(new Set(fires.map(({ body }) => body.execution?.id)).size).toBe(1);
    expect(await runsOf(id)).toHaveLength(1);
    await stopAll();
  });

  it('makes no run if the schedule’s overlap setting forbids it', async () => {
    const { id } = await make({ overlap: 'skip' });
    await trigger(id);
    expect((await trigger(id)).body).toMatchObject({ outcome: 'skipped', reason_code: 'overlap', manual: true });
    await stopAll();
  });
});
