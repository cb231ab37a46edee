import { randomUUID } from 'node:crypto';
import { type Api, startTestApp, type TestApp } from '../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet, TestWorker } from '../../test/test-worker.js';
import { until } from '../../test/until.js';

jest.setTimeout(60_000);

let app: TestApp;
let developer: Api;
let fleet: TestFleet;
let worker: TestWorker | undefined;
let count = 0;

const START = '/joint-api/execute-skript/single-worker/start';
const STOP = '/joint-api/execute-skript/single-worker/stop';

beforeAll(async () => {
  app = await startTestApp();
  developer = await app.as('developer');
});
afterAll(() => app.close());

beforeEach(async () => {
  fleet = await makeWorkerAndSkript(app, `run-${++count}`);
});
afterEach(() => {
  worker?.close();
  worker = undefined;
});

const start = (body: object = {}, query = 'wait_ms=0', headers = {}) =>
  developer('POST', `${START}?${query}`, { worker_id: fleet.workerId, skript_id: fleet.skriptId, ...body }, headers);

const execution = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;

const offline = (workerId: string) =>
  until(
    async () =>
      (await developer('GET', '/apps/workers/list?limit=1000')).body.items.find((row: any) => row.id === workerId),
    row => row.status === 'offline',
  );

describe('a start', () => {
  it('offers the run with its values and answers 200 with the output that the worker reports', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const answer = start({ input: { a: 1 }, inputSecret: { token: 's3cret' } }, '');
    const offer = await worker.offers.next();
    expect(offer).toMatchObject({
      input: '{"a":1}',
      input_secret: '{"token":"s3cret"}',
      environment: 'nodejs',
      lock: null,
    });
    expect(await worker.finish(offer.id)).toEqual({ result: 'ok' });
    expect(await answer).toMatchObject({ status: 200, body: { id: offer.id, action: 'end', output: { done: true } } });
  });

  it('keeps the values only while the run goes on, and only sealed', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    await start({ inputSecret: { token: 'visible-nowhere' } });
    const offer = await worker.offers.next();
    const dump = async () =>
      JSON.stringify([
        await app.sql(`SELECT encode(payload, 'escape') AS payload FROM live_runs WHERE execution_id = $1`, [offer.id]),
        await app.sql('SELECT * FROM executions WHERE id = $1', [offer.id]),
      ]);
    expect(await dump()).not.toContain('visible-nowhere');
    await worker.finish(offer.id);
    expect(await app.sql('SELECT 1 FROM live_runs WHERE execution_id = $1', [offer.id])).toEqual([]);
  });

  it('answers 202 when the wait is over before the run', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    expect(await start({}, 'wait_ms=30')).toMatchObject({ status: 202, body: { action: 'start', waiting_for: null } });
  });

  it('is refused while the same run is under way, and says which', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body: first } = await start({ input: { a: 1, b: 2 } });
    const second = await start({ input: { b: 2, a: 1 } });
    expect(second).toMatchObject({
      status: 409,
      body: { error_code: 'already_running', details: { execution_id: first.id } },
    });
    expect((await start({ input: { a: 2 } })).status).toBe(202);
  });

  it('runs beside the same run with force, and is refused by a forced one without', async () => {
    worker = await TestWorker.connect(app, fleet.key, { slots: 8 });
    expect((await start({}, 'wait_ms=0&force=true')).status).toBe(202);
    expect((await start({}, 'wait_ms=0&force=true')).status).toBe(202);
    expect((await start()).body.error_code).toBe('already_running');
  });

  it('begins one run when twenty come at once', async () => {
    worker = await TestWorker.connect(app, fleet.key, { slots: 32 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => start({ input: 'same' })));
    const statuses = answers.map(answer => answer.status).sort();
    expect(statuses).toEqual([202, ...Array(19).fill(409)]);
    expect(await app.sql('SELECT 1 FROM executions WHERE skript_id = $1', [fleet.skriptId])).toHaveLength(1);
  });

  it('joins the first call when its idempotency key comes again', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const key = { 'idempotency-key': randomUUID() };
    const first = await start({ input: 1 }, 'wait_ms=0', key);
    const again = await start({ input: 1 }, 'wait_ms=0', key);
    expect(again.body.id).toBe(first.body.id);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(worker.offers.all).toHaveLength(1);
  });

  it('joins the first call also with stored values', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const stored = { skript_id: fleet.skriptId, name: 'inputKept.json', val: 1 };
    const input_id = (await developer('POST', '/joint-api/inputs/addnew', stored)).body.id;
    const query = new URLSearchParams({ worker_id: fleet.workerId, skript_id: fleet.skriptId, input_id, wait_ms: '0' });
    const key = { 'idempotency-key': randomUUID() };
    const first = await developer('GET', `${START}?${query}`, undefined, key);
    await worker.offers.next();
    await worker.finish(first.body.id);
    const again = await developer('GET', `${START}?${query}`, undefined, key);
    expect([first.status, again.status, again.body.id]).toEqual([202, 200, first.body.id]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(worker.offers.all).toHaveLength(1);
  });

  it('keeps an idempotency key for a day and no longer, whether it has been removed yet or not', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const key = { 'idempotency-key': randomUUID() };
    const first = await start({ input: 1 }, 'wait_ms=0', key);
    await worker.offers.next();
    await worker.finish(first.body.id);
    await app.sql(`UPDATE start_keys SET created_at = now() - interval '25 hours' WHERE key = $1`, [
      key['idempotency-key'],
    ]);
    const next = await start({ input: 1 }, 'wait_ms=0', key);
    expect([next.status, next.body.id === first.body.id]).toEqual([202, false]);
    expect((await start({ input: 1 }, 'wait_ms=0', key)).body.id).toBe(next.body.id);
  });

  it('says so when the run of an idempotency key was deleted', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const key = { 'idempotency-key': randomUUID() };
    const { body } = await start({ input: 1 }, 'wait_ms=0', key);
    await worker.offers.next();
    await worker.finish(body.id);
    expect((await developer('DELETE', `/joint-api/skript-execution/${body.id}`)).status).toBe(200);
    expect(await start({ input: 1 }, 'wait_ms=0', key)).toMatchObject({
      status: 409,
      body: { error_code: 'conflict', error_message: expect.stringContaining('has been deleted') },
    });
  });

  it('waits for a worker that is away, says so, and begins when it comes', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    worker.close();
    await offline(fleet.workerId);
    const { body } = await start();
    expect(body.waiting_for).toMatchObject({ reason: 'worker_offline' });
    worker = await TestWorker.connect(app, fleet.key);
    expect((await worker.offers.next()).id).toBe(body.id);
    expect((await execution(body.id)).waiting_for).toBeNull();
  });

  it('waits for a free slot, says so, and begins when another run has ended', async () => {
    worker = await TestWorker.connect(app, fleet.key, { slots: 1 });
    const { body: first } = await start({ input: 1 });
    const { body: second } = await start({ input: 2 });
    expect(second.waiting_for).toMatchObject({ reason: 'worker_full' });
    expect((await worker.offers.next()).id).toBe(first.id);
    await worker.finish(first.id);
    expect((await worker.offers.next()).id).toBe(second.id);
  });

  it('of a skript with a browser goes to the worker that has one, and is refused where none has', async () => {
    await developer('PUT', `/joint-api/skripts/${fleet.skriptId}`, { environment: 'browser' });
    worker = await TestWorker.connect(app, fleet.key);
    const refused = await start();
    expect(refused).toMatchObject({ status: 422, body: { error_code: 'environment_not_available' } });
    expect(refused.body.error_message).toContain('has the environment browser');
    worker.close();
    worker = await TestWorker.connect(app, fleet.key, { environments: ['nodejs', 'browser'] });
    const { body: run } = await start();
    expect(await worker.offers.next()).toMatchObject({ id: run.id, environment: 'browser' });
    const { body: other } = await start({ worker_id: 'any' });
    expect(await worker.offers.next()).toMatchObject({ id: other.id, environment: 'browser' });
  });

  it('is refused for python, for a worker that is not there and for a skript of somebody else', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    expect((await start({ worker_id: randomUUID() })).status).toBe(404);
    const admin = await app.as('admin');
    expect((await admin('POST', START, { worker_id: 'any', skript_id: fleet.skriptId })).status).toBe(404);
    await developer('PUT', `/joint-api/skripts/${fleet.skriptId}`, { environment: 'python' });
    expect((await start()).body.error_code).toBe('environment_not_available');
  });
});

describe('a start that meets an obstacle', () => {
  it('whose offer is not answered is offered again on the same connection', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    worker.answerToOffers = 'none';
    const { body } = await start();
    expect((await worker.offers.next()).id).toBe(body.id);
    worker.answerToOffers = { accepted: true };
    expect((await worker.offers.next()).id).toBe(body.id);
  });

  it('whose offer is refused waits, and is offered again', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    worker.answerToOffers = { refused: 'full' };
    const { body } = await start();
    await worker.offers.next();
    worker.answerToOffers = { accepted: true };
    expect((await worker.offers.next()).id).toBe(body.id);
  });

  it('and is stopped while its offer is refused never begins', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    worker.answerToOffers = 'none';
    const { body } = await start();
    await worker.offers.next();
    await app.sql(`UPDATE live_runs SET want = 'stop', cmd_seq = 1 WHERE execution_id = $1`, [body.id]);
    worker.answerToOffers = { refused: 'full' };
    expect(
      await until(
        () => execution(body.id),
        seen => seen.action !== 'start',
      ),
    ).toMatchObject({ action: 'stop' });
  });

  it('because its values cannot be decrypted any more ends, and says why', async () => {
    const { body } = await start();
    await app.sql(`UPDATE live_runs SET payload = '\\x00' WHERE execution_id = $1`, [body.id]);
    worker = await TestWorker.connect(app, fleet.key);
    const ended = await until(
      () => execution(body.id),
      seen => seen.action !== 'start',
    );
    expect(ended).toMatchObject({
      action: 'error',
      error_code: 'start_failed',
      error_stack: expect.stringContaining('TRAWL_SECRET'),
    });
  });

  it('says what it waits for as that changes', async () => {
    worker = await TestWorker.connect(app, fleet.key, { slots: 1 });
    await start({ input: 1 });
    const { body } = await start({ input: 2 });
    expect(body.waiting_for.reason).toBe('worker_full');
    worker.close();
    await until(
      () => execution(body.id),
      seen => seen.waiting_for?.reason === 'worker_offline',
    );
  });

  it('is refused on a worker without the full sandbox to whoever is not one of the first accounts', async () => {
    worker = await TestWorker.connect(app, fleet.key, { sandbox: 'reduced' });
    await app.sql(`UPDATE users SET built_in = false WHERE username = 'developer'`);
    for (const worker_id of [fleet.workerId, 'any']) {
      expect(await start({ worker_id })).toMatchObject({ status: 403, body: { error_code: 'forbidden' } });
    }
    worker.close();
    worker = await TestWorker.connect(app, fleet.key, { sandbox: 'full' });
    expect((await start()).status).toBe(202);
    await app.sql(`UPDATE users SET built_in = true WHERE username = 'developer'`);
  });

  it('knows the same run in whatever spelling', async () => {
    worker = await TestWorker.connect(app, fleet.key, { slots: 4 });
    expect((await start({ worker_id: fleet.workerId })).status).toBe(202);
    expect((await start({ worker_id: fleet.workerId.toUpperCase() })).body.error_code).toBe('already_running');
    expect((await developer('GET', `${STOP}?worker_id=ANY&skript_id=${fleet.skriptId}`)).status).toBe(200);
  });

  it('does not take an idempotency key that stands for something else', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const key = { 'idempotency-key': randomUUID() };
    await start({ input: 1 }, 'wait_ms=0', key);
    const reused = { status: 409, body: { error_code: 'idempotency_key_reused' } };
    expect(await start({ input: 2 }, 'wait_ms=0', key)).toMatchObject(reused);
    for (const option of ['force=true', 'retries=5', 'timeout_ms=1000', 'retry_delay_ms=5000']) {
      expect(await start({ input: 1 }, `wait_ms=0&${option}`, key)).toMatchObject(reused);
    }
    expect((await start({ input: 1 }, 'wait_ms=1', key)).headers.get('idempotency-replayed')).toBe('true');
  });

  it('has the same idempotency keys as every other call', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const reused = { status: 409, body: { error_code: 'idempotency_key_reused' } };
    const [ofStart, ofSkript] = [{ 'idempotency-key': randomUUID() }, { 'idempotency-key': randomUUID() }];
    const make = (key: typeof ofStart) => developer('POST', '/joint-api/skripts/addnew', { title: randomUUID() }, key);
    expect((await start({ input: 1 }, 'wait_ms=0', ofStart)).status).toBe(202);
    expect(await make(ofStart)).toMatchObject(reused);
    expect((await make(ofSkript)).status).toBe(201);
    expect(await start({ input: 2 }, 'wait_ms=0', ofSkript)).toMatchObject(reused);
  });

  it('answers 202 to who waits when the backend stops', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const waiting = start({}, 'wait_ms=60000');
    await worker.offers.next();
    await app.stop();
    expect(await waiting).toMatchObject({ status: 202, body: { action: 'start' } });
    await app.start();
  });
});

describe('a run ends exactly once', () => {
  it('as output_not_json when the database takes no such output, and holds up no other', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body: deep } = await start({ input: 1 });
    const { body: plain } = await start({ input: 2 });
    const output = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(await Promise.all([worker.finish(deep.id, { output }), worker.finish(plain.id)])).toEqual([
      { result: 'ok' },
      { result: 'ok' },
    ]);
    expect(await execution(deep.id)).toMatchObject({ action: 'error', error_code: 'output_not_json' });
    expect(await execution(plain.id)).toMatchObject({ action: 'end' });
  });

  it('though its finish is not of the protocol', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body } = await start();
    await worker.offers.next();
    expect(await worker.finish(body.id, { last_seq: 2 ** 40 })).toMatchObject({ error: { code: 'invalid_frame' } });
    expect(await execution(body.id)).toMatchObject({ action: 'error', error_code: 'process_ended' });
  });

  it('and what a worker says it has beside that takes none of its slots', async () => {
    worker = await TestWorker.connect(app, fleet.key, { slots: 1, live: [randomUUID()] });
    const { body } = await start();
    expect((await worker.offers.next()).id).toBe(body.id);
  });

  it('and a second finish is late and changes nothing', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body } = await start();
    await worker.finish(body.id);
    expect(await worker.finish(body.id, { action: 'error', error_code: 'exception' })).toEqual({ result: 'late' });
    expect(await execution(body.id)).toMatchObject({ action: 'end', error_code: null });
  });

  it('as worker_lost when its worker comes back as a new process, and is not offered again', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body } = await start();
    await worker.offers.next();
    worker.close();
    worker = await TestWorker.connect(app, fleet.key);
    expect(await execution(body.id)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
    expect(await worker.finish(body.id)).toEqual({ result: 'late' });
    expect(await execution(body.id)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
    const [row] = await app.sql<any>('SELECT late_result FROM executions WHERE id = $1', [body.id]);
    expect(row.late_result).toMatchObject({ action: 'end' });
    expect(worker.offers.all).toEqual([]);
  });

  it('with what the new process found on its disk', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body } = await start();
    worker.close();
    worker = await TestWorker.connect(app, fleet.key, { done: [body.id, randomUUID()] });
    expect(worker.welcome.forget).toHaveLength(1);
    expect(await worker.finish(body.id)).toEqual({ result: 'ok' });
    expect(await execution(body.id)).toMatchObject({ action: 'end' });
  });

  it('when the worker kept it through a broken connection', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body } = await start();
    worker.close();
    worker = await TestWorker.connect(app, fleet.key, { boot_id: worker.bootId, live: [body.id] });
    expect(worker.welcome).toMatchObject({ kill: [], epoch: 2 });
    expect(await worker.finish(body.id)).toEqual({ result: 'ok' });
  });

  it('when the backend was restarted while it went on', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body } = await start();
    await worker.offers.next();
    await app.stop();
    await app.start();
    worker = await TestWorker.connect(app, fleet.key, { boot_id: worker.bootId, live: [body.id] });
    await worker.finish(body.id);
    expect(await execution(body.id)).toMatchObject({ action: 'end', output: { done: true } });
  });

  it('though the answer to its offer was lost: the same boot gets the same offer again', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    worker.answerToOffers = 'none';
    const { body } = await start();
    await worker.offers.next();
    worker.close();
    worker = await TestWorker.connect(app, fleet.key, { boot_id: worker.bootId });
    expect((await worker.offers.next()).id).toBe(body.id);
  });

  it('and a worker that still has it afterwards is told to kill it', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const ended = randomUUID();
    worker.close();
    worker = await TestWorker.connect(app, fleet.key, { boot_id: worker.bootId, live: [ended] });
    expect(worker.welcome.kill).toEqual([ended]);
  });
});

describe('frames', () => {
  it('with an older epoch are refused', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body } = await start();
    expect(await worker.finish(body.id, {}, 0)).toMatchObject({ error: { code: 'stale_epoch' } });
    expect(await worker.send('beat', { epoch: 99, n: 1, free: 1, load: 0 })).toMatchObject({
      error: { code: 'stale_epoch' },
    });
    expect((await execution(body.id)).action).toBe('start');
  });

  it('of a worker whose lease has run out make it say hello again', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    await app.sql('UPDATE worker_leases SET lease_until = now() WHERE worker_id = $1', [fleet.workerId]);
    const beat = { epoch: worker.welcome.epoch, n: 1, free: 1, load: 0 };
    expect(await worker.send('beat', beat)).toMatchObject({ error: { code: 'stale_epoch' } });
  });

  it('that are not of the protocol are refused by name', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    expect(await worker.send('beat', { epoch: 1, n: 'x', free: 1, load: 0 })).toMatchObject({
      error: { code: 'invalid_frame', message: expect.stringContaining('beat') },
    });
  });

  it('of a run on another worker end nothing', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body } = await start();
    const other = await makeWorkerAndSkript(app, `other-${count}`);
    const stranger = await TestWorker.connect(app, other.key);
    expect(await stranger.finish(body.id)).toEqual({ result: 'late' });
    const failed = { action: 'error', output: null, error_code: 'exception', error_stack: 'Error: forged' };
    expect(await stranger.finish(body.id, failed)).toEqual({ result: 'late' });
    await stranger.chunk(body.id, 1, 1, ['forged']);
    stranger.close();
    expect((await execution(body.id)).action).toBe('start');
    expect(await app.sql('SELECT 1 FROM echo_chunks WHERE execution_id = $1', [body.id])).toEqual([]);
  });

  it('are not taken without a known key', async () => {
    await expect(TestWorker.connect(app, 'trw_unknown')).rejects.toThrow('TRAWL_WORKER_KEY');
  });

  it('for storage need the token of a run that goes on, on this boot', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body } = await start();
    const { token } = await worker.offers.next();
    const frame = (change: object) => ({
      epoch: worker?.welcome.epoch,
      id: body.id,
      op_id: 1,
      token,
      op: { collection: 'books', method: 'countDocuments', args: '{"filter":{}}', resend: false },
      ...change,
    });
    expect(await worker.send('storage', frame({}))).toMatchObject({ result: expect.any(String) });
    expect(await worker.send('storage', frame({ token: 'wrong' }))).toMatchObject({ error: { code: 'run_ended' } });
    await worker.finish(body.id);
    expect(await worker.send('storage', frame({}))).toMatchObject({ error: { code: 'run_ended' } });
  });

  it('for storage are obeyed once, however often a network gives them', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body } = await start();
    const { token } = await worker.offers.next();
    const frame = (op_id: number, method: string, args: object) => ({
      epoch: worker?.welcome.epoch,
      id: body.id,
      op_id,
      token,
      op: { collection: `once-${count}`, method, args: JSON.stringify(args), resend: false },
    });
    const add = (op_id: number) => frame(op_id, 'updateOne', { filter: {}, update: { $inc: { n: 1 } }, upsert: true });
    await worker.send('storage', add(1));
    const answered = jest.fn();
    for (let again = 0; again < 10; again += 1) worker.socket.emit('storage', add(1), answered);
    await worker.send('storage', add(2));
    const values = frame(3, 'distinct', { field: 'n', filter: {} });
    expect(await worker.send('storage', values)).toEqual({ result: '{"values":[{"$numberInt":"2"}]}' });
    expect(answered).not.toHaveBeenCalled();

    // What a worker gives again over another connection is no repeat.
    worker.close();
    worker = await TestWorker.connect(app, fleet.key, { boot_id: worker.bootId, live: [body.id] });
    expect(await worker.send('storage', { ...values, epoch: worker.welcome.epoch })).toMatchObject({
      result: expect.any(String),
    });
  });
});

describe('stop', () => {
  it('ends a run that no worker has yet at once', async () => {
    const { body } = await start();
    const { body: stopped } = await developer('GET', `${STOP}?execution_id=${body.id}`);
    expect(stopped).toMatchObject([{ id: body.id, action: 'stop' }]);
  });

  it('reaches the worker that has the run, and again after a reconnect', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body } = await start();
    await worker.offers.next();
    expect((await developer('GET', `${STOP}?skript_id=${fleet.skriptId}`)).body).toMatchObject([{ id: body.id }]);
    expect(await worker.controls.next()).toEqual({ id: body.id, cmd: 'stop', cmd_seq: 1 });
    worker.close();
    worker = await TestWorker.connect(app, fleet.key, { boot_id: worker.bootId, live: [body.id] });
    expect(worker.welcome.controls).toEqual([{ id: body.id, cmd: 'stop', cmd_seq: 1 }]);
    await worker.finish(body.id, { action: 'stop', output: null });
    expect((await execution(body.id)).action).toBe('stop');
  });

  it('says when nothing matches, and wants to know which run', async () => {
    expect(await developer('GET', `${STOP}?skript_id=${fleet.skriptId}`)).toMatchObject({
      status: 404,
      body: { error_code: 'no_live_run' },
    });
    expect((await developer('GET', STOP)).status).toBe(400);
  });

  it('does not reach the runs of somebody else', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body } = await start();
    const admin = await app.as('admin');
    expect((await admin('GET', `${STOP}?execution_id=${body.id}`)).status).toBe(404);
    expect((await execution(body.id)).action).toBe('start');
  });
});

describe('executions', () => {
  it('cannot be deleted while they go on; afterwards they go with their echoes', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body } = await start();
    await worker.chunk(body.id, 1, 1, ['one']);
    const path = `/joint-api/skript-execution/${body.id}`;
    expect((await developer('DELETE', path)).body.error_code).toBe('has_live_run');
    await worker.finish(body.id);
    expect((await developer('DELETE', path)).body).toEqual({ deleted: { skript_executions: 1, echo_chunks: 1 } });
    expect((await developer('GET', path)).status).toBe(404);
  });

  it('keep the name of their worker when that is deleted, also of one that was to be any', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body: named } = await start();
    await worker.finish(named.id);
    const { body: any } = await start({ worker_id: 'any' });
    // As one that waited for a worker: the dispatcher gives it to this one.
    await app.sql(
      `UPDATE live_runs SET worker_id = NULL, boot_id = NULL, waiting_reason = 'worker_full', waiting_since = now()
       WHERE execution_id = $1`,
      [any.id],
    );
    await app.sql('UPDATE executions SET worker_id = NULL, worker_name = NULL WHERE id = $1', [any.id]);
    await until(
      () => execution(any.id),
      ({ worker: its }) => its?.id === fleet.workerId,
    );
    await worker.finish(any.id);
    worker.close();
    await (await app.as('admin'))('DELETE', `/joint-api/workers/${fleet.workerId}`);
    const name = `run-${count}`;
    expect(await execution(named.id)).toMatchObject({ worker: { id: fleet.workerId, name } });
    expect(await execution(any.id)).toMatchObject({ worker: { id: fleet.workerId, name } });
  });

  it('are listed newest first, filtered, without outputs, and only to their owner', async () => {
    worker = await TestWorker.connect(app, fleet.key);
    const { body: first } = await start({ input: 1 });
    const { body: second } = await start({ input: 2 });
    await worker.finish(first.id);
    const list = (query: string, api = developer) =>
      api('GET', `/joint-api/skript-execution/list?skript_id=${fleet.skriptId}${query}`);
    expect((await list('')).body).toMatchObject({
      total: 2,
      limit: 50,
      skip: 0,
      items: [{ id: second.id }, { id: first.id }],
    });
    expect((await list('&action=end')).body.items).toMatchObject([{ id: first.id }]);
    expect((await list('&sort=created_at&limit=1')).body).toMatchObject({ total: 2, items: [{ id: first.id }] });
    expect((await list('')).body.items[1]).not.toHaveProperty('output');
    expect((await list('', await app.as('admin'))).body.total).toBe(0);
    expect((await list('&sort=output')).body).toMatchObject({
      error_code: 'validation_failed',
      details: [{ field: 'sort' }],
    });
    expect((await list('&limit=0')).body.details).toMatchObject([{ field: 'limit' }]);
    expect((await list('&colour=red')).body.details).toMatchObject([{ field: 'colour' }]);
  });
});
