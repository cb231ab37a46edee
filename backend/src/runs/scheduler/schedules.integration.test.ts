import { randomUUID } from 'node:crypto';
import { type Api, appForFile } from '../../../test/test-app.js';
import { dueBefore, firesOf, makeSchedule, tick } from '../../../test/test-schedules.js';
import { fleetForEachTest, makeWorkerAndSkript } from '../../../test/test-worker.js';

const { app, admin, developer } = appForFile();
const fleet = fleetForEachTest(app);
let count = 0;

const add = (fields: object) =>
  developer('POST', '/joint-api/schedules/addnew', {
    name: `s${++count}`,
    cron_span: '0 6 * * *',
    worker_id: 'any',
    skript_id: fleet.skriptId,
    ...fields,
  });
const part = async (kind: string, name: string, skript_id = fleet.skriptId) =>
  (await developer('POST', `/joint-api/${kind}/addnew`, { skript_id, name, val: 1 })).body.id as string;

describe('the fires by hour', () => {
  it('are counted by outcome and by the status of their runs, for the user’s own schedules only', async () => {
    const one = await makeSchedule(developer, { skript_id: fleet.skriptId });
    const other = await makeSchedule(developer, { skript_id: fleet.skriptId });
    const from = new Date(Date.now() - 2 * 3_600_000).toISOString();
    const ask = (api: Api, ids: string[]) =>
      api('GET', `/joint-api/schedules/fires-by-hour?from=${from}&hours=4&schedule_ids=${ids.join(',')}`);
    expect((await ask(developer, [one.id, other.id])).body).toEqual({ items: [] });
    await developer('POST', `/joint-api/schedules/${one.id}/trigger`);
    await developer('POST', `/joint-api/schedules/${one.id}/trigger`);
    const items = [
      { schedule_id: one.id, hour: 2, outcome: 'fired', action: 'start', fires: 1 },
      { schedule_id: one.id, hour: 2, outcome: 'skipped', action: null, fires: 1 },
    ];
    expect((await ask(developer, [one.id, other.id])).body).toEqual({ items });
    expect((await ask(developer, [other.id])).body).toEqual({ items: [] });
    expect((await ask(admin, [one.id])).body).toEqual({ items: [] });
  });
});

describe('a schedule', () => {
  it('has caught up after a tick, also while another tick of the backend fires it', async () => {
    const settings = { overlap: 'allow', catch_up: 'all', cron_span: '* * * * *' };
    const { id } = await makeSchedule(developer, { skript_id: fleet.skriptId, ...settings });
    await dueBefore(app, id, 5 * 60);
    const other = tick(app);
    await tick(app);
    expect((await firesOf(developer, id)).length).toBeGreaterThanOrEqual(5);
    await other;
  });

  it('is returned with its defaults and next five fires', async () => {
    const input_id = await part('inputs', 'input.json');
    const inputSecret_id = await part('input-secrets', 'inputSecret.json');
    const made = await add({
      name: 'Books',
      worker_id: fleet.workerId,
      input_id,
      inputSecret_id,
      time_zone: 'Asia/Tokyo',
    });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'Books',
        cron_span: '0 6 * * *',
        time_zone: 'Asia/Tokyo',
        job_name: '',
        last_run: null,
        worker_id: fleet.workerId,
        worker: { id: fleet.workerId, name: expect.stringContaining('fleet') },
        skript_id: fleet.skriptId,
        skript: { id: fleet.skriptId, name: expect.stringContaining('fleet') },
        input_id,
        inputSecret_id,
        overlap: 'skip',
        catch_up: 'skip',
        retries: null,
        retry_delay_ms: null,
        enabled: true,
        triggered: [],
        counter: 0,
        next_fire_at: expect.stringMatching(/T21:00:00\.000Z$/),
        next_fires: expect.arrayContaining([expect.stringMatching(/T21:00:00\.000Z$/)]),
        problem: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect([made.body.next_fires.length, made.body.next_fires[0]]).toEqual([5, made.body.next_fire_at]);
    expect((await developer('GET', `/joint-api/schedules/${made.body.id}`)).body).toEqual(made.body);
  });

  it('can be sent back unchanged as an update, which changes nothing', async () => {
    const { body } = await add({ retries: 2, retry_delay_ms: 100 });
    const { body: after } = await developer('PUT', `/joint-api/schedules/${body.id}`, body);
    expect({ ...after, updated_at: '' }).toEqual({ ...body, updated_at: '' });
  });

  it('whose cron span changes fires next at a time of the new span, never in the past', async () => {
    const { body } = await add({});
    await dueBefore(app, body.id, 3_600);
    await app.sql('UPDATE schedules SET enabled = false WHERE id = $1', [body.id]);
    const change = { cron_span: '0 7 1 1 *', time_zone: 'UTC', enabled: true };
    const { body: after } = await developer('PUT', `/joint-api/schedules/${body.id}`, change);
    expect(after.next_fire_at).toMatch(/-01-01T07:00:00\.000Z$/);
    expect(new Date(after.next_fire_at).getTime()).toBeGreaterThan(Date.now());
  });

  it('has no next fire while disabled', async () => {
    const { body } = await add({ enabled: false });
    expect([body.next_fire_at, body.next_fires]).toEqual([null, []]);
    const { body: enabled } = await developer('PUT', `/joint-api/schedules/${body.id}`, { enabled: true });
    expect(enabled.next_fire_at).toBe(enabled.next_fires[0]);
    const { body: disabled } = await developer('PUT', `/joint-api/schedules/${body.id}`, { enabled: false });
    expect(disabled.next_fire_at).toBeNull();
  });

  it('can be found by skript, job, name and whether it is enabled', async () => {
    const job = `job ${count}`;
    const { body: one } = await add({ job_name: job, name: `Find_me ${count}` });
    const { body: two } = await add({ job_name: job, enabled: false });
    const found = async (query: string) =>
      (await developer('GET', `/joint-api/schedules/list?sort=name&${query}`)).body.items.map((item: any) => item.id);
    expect(await found(`skript_id=${fleet.skriptId}`)).toEqual([one.id, two.id]);
    expect(await found(`job_name=${job}&enabled=false`)).toEqual([two.id]);
    expect(await found(`name_contains=find_me%20${count - 1}`)).toEqual([]);
    expect(await found('name_contains=find_me')).toContain(one.id);
  });

  it('is deleted with its fires, also when its skript is deleted; the answer counts it', async () => {
    const first = await makeSchedule(developer, { skript_id: fleet.skriptId });
    const second = await makeSchedule(developer, {
      skript_id: fleet.skriptId,
      worker_id: fleet.workerId,
      input_id: await part('inputs', 'input.json'),
    });
    for (const { id } of [first, second]) await dueBefore(app, id, 3_600);
    await tick(app);
    expect((await developer('DELETE', `/joint-api/schedules/${first.id}`)).body).toEqual({
      deleted: { schedules: 1, schedule_fires: 1 },
    });
    expect((await developer('GET', `/joint-api/schedules/${first.id}`)).status).toBe(404);
    const { body } = await developer('DELETE', `/joint-api/skripts/${fleet.skriptId}`);
    expect(body.deleted).toMatchObject({ skripts: 1, schedules: 1 });
    expect(await app.sql('SELECT 1 FROM schedule_fires WHERE schedule_id = ANY($1)', [[first.id, second.id]])).toEqual(
      [],
    );
  });
});

describe('a schedule is refused', () => {
  it.each([
    [{ cron_span: '* * * * * * *' }, 'cron_span'],
    [{ cron_span: '0 0 30 2 *' }, 'cron_span'],
    [{ cron_span: '99 * * * *' }, 'cron_span'],
    [{ time_zone: 'Mars/Phobos' }, 'time_zone'],
    [{ overlap: 'sometimes' }, 'overlap'],
    [{ catch_up: 1 }, 'catch_up'],
    [{ retries: 11 }, 'retries'],
    [{ worker_id: 'some' }, 'worker_id'],
    [{ colour: 'red' }, 'colour'],
  ])('because of an invalid field, which the error names: %j', async (fields, field) => {
    const { status, body } = await add(fields);
    expect([status, body.error_code, body.details[0].field]).toEqual([400, 'validation_failed', field]);
    const { body: kept } = await add({});
    expect((await developer('PUT', `/joint-api/schedules/${kept.id}`, fields)).status).toBe(400);
  });

  it('because another schedule has its name', async () => {
    const { name } = (await add({})).body;
    const { id } = (await add({})).body;
    expect((await add({ name })).body.error_code).toBe('name_taken');
    expect((await developer('PUT', `/joint-api/schedules/${id}`, { name })).body.error_code).toBe('name_taken');
  });

  it('if its skript or worker is missing, or its input belongs to another skript', async () => {
    const other = await makeWorkerAndSkript(app, `other-${count}`);
    const foreign = await part('inputs', 'input.json', other.skriptId);
    const secret = await part('input-secrets', 'inputSecret.json', other.skriptId);
    for (const fields of [
      { skript_id: randomUUID() },
      { worker_id: randomUUID() },
      { input_id: foreign },
      { inputSecret_id: secret },
    ]) {
      expect([fields, (await add(fields)).body.error_code]).toEqual([fields, 'not_found']);
    }
    const { body } = await add({ input_id: await part('inputs', 'input.json') });
    const moved = await developer('PUT', `/joint-api/schedules/${body.id}`, { skript_id: other.skriptId });
    expect(moved.body.error_code).toBe('not_found');
    const change = { skript_id: other.skriptId, input_id: null };
    expect((await developer('PUT', `/joint-api/schedules/${body.id}`, change)).body.skript_id).toBe(other.skriptId);
  });

  it('if its skript belongs to another user; other users get 404 for an existing schedule', async () => {
    const body = { name: 'mine', cron_span: '* * * * *', worker_id: 'any', skript_id: fleet.skriptId };
    expect((await admin('POST', '/joint-api/schedules/addnew', body)).body.error_code).toBe('not_found');
    const { id } = (await add({})).body;
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['GET', '/fires/list'],
      ['POST', '/trigger'],
    ] as const) {
      const answer = await admin(method, `/joint-api/schedules/${id}${path}`, method === 'PUT' ? {} : undefined);
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
    expect((await admin('GET', '/joint-api/schedules/list')).body.items).toEqual([]);
  });

  it('above the account’s quota of schedules, even if calls are concurrent', async () => {
    const { id } = (await developer('GET', '/joint-api/account')).body;
    const [{ n } = { n: 0 }] = await app.sql<{ n: number }>('SELECT count(*)::int AS n FROM schedules');
    await app.sql('UPDATE users SET quotas = $2 WHERE id = $1', [id, JSON.stringify({ schedules: n + 1 })]);
    const answers = await Promise.all([add({}), add({}), add({})]);
    await app.sql(`UPDATE users SET quotas = '{}' WHERE id = $1`, [id]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 429, 429]);
  });
});

describe('a preview of a cron span', () => {
  const preview = (query: string) => developer('GET', `/joint-api/schedules/preview?${query}`);

  it('shows the next five fires in the time zone', async () => {
    const { status, body } = await preview('cron_span=30%206%20*%20*%20*&time_zone=Asia/Kolkata');
    expect([status, body.cron_span, body.time_zone, body.next_fires.length]).toEqual([
      200,
      '30 6 * * *',
      'Asia/Kolkata',
      5,
    ]);
    expect(body.next_fires.every((fire: string) => fire.endsWith('T01:00:00.000Z'))).toBe(true);
  });

  it('says what is wrong with an invalid span or one that never fires', async () => {
    expect((await preview('cron_span=every%20morning')).body.details[0].field).toBe('cron_span');
    expect((await preview('cron_span=0%200%2030%202%20*')).body.error_message).toContain('never fires');
    expect((await preview('time_zone=UTC')).status).toBe(400);
  });
});
