import { randomUUID } from 'node:crypto';
import { encodeMessage } from '../../../../packages/storage/test/bson-messages.js';
import { appForFile } from '../../../test/test-app.js';
import { fleetForEachTest, makeWorkerAndSkript, TestWorker } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';

const { app, developer, admin } = appForFile();
const fleet = fleetForEachTest(app);

const START = '/joint-api/execute-skript/single-worker/start';
const STOP = '/joint-api/execute-skript/single-worker/stop';

const execution = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;

describe('a start', () => {
  it('offers the run to the worker with its inputs and answers 200 with the run’s output', async () => {
    const worker = await fleet.connect();
    const answer = fleet.start({ input: { a: 1 }, inputSecret: { token: 's3cret' } }, '');
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

  it('encrypts its input and input secret in the database, and deletes them when the run ends', async () => {
    const worker = await fleet.connect();
    await fleet.start({ inputSecret: { token: 'visible-nowhere' } });
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

  it('answers 202 if wait_ms passes before the run ends', async () => {
    await fleet.connect();
    expect(await fleet.start({}, 'wait_ms=30')).toMatchObject({
      status: 202,
      body: { action: 'start', waiting_for: null },
    });
  });

  it('waits for the run as long as the skript’s worker_response_timeout, which is no time limit of the run', async () => {
    await app.sql('UPDATE skripts SET worker_response_timeout = 30 WHERE id = $1', [fleet.skriptId]);
    const worker = await fleet.connect();
    const body = { worker_id: fleet.workerId, skript_id: fleet.skriptId };
    const answer = await developer('POST', START, body);
    expect(answer).toMatchObject({ status: 202, body: { action: 'start' } });
    expect(await worker.offers.next()).toMatchObject({ limits: { time_ms: 3_600_000 } });
  });

  it('is refused with 409 while the same run is live, and the error names the live run', async () => {
    await fleet.connect();
    const { body: first } = await fleet.start({ input: { a: 1, b: 2 } });
    const second = await fleet.start({ input: { b: 2, a: 1 } });
    expect(second).toMatchObject({
      status: 409,
      body: { error_code: 'already_running', details: { execution_id: first.id } },
    });
    expect((await fleet.start({ input: { a: 2 } })).status).toBe(202);
  });

  it('with force succeeds beside the same live run; without force it is refused', async () => {
    await fleet.connect({ slots: 8 });
    expect((await fleet.start({}, 'wait_ms=0&force=true')).status).toBe(202);
    expect((await fleet.start({}, 'wait_ms=0&force=true')).status).toBe(202);
    expect((await fleet.start()).body.error_code).toBe('already_running');
  });

  it('makes one run for twenty identical concurrent calls and refuses the others with 409', async () => {
    await fleet.connect({ slots: 32 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => fleet.start({ input: 'same' })));
    const statuses = answers.map(answer => answer.status).sort();
    expect(statuses).toEqual([202, ...Array(19).fill(409)]);
    expect(await app.sql('SELECT 1 FROM executions WHERE skript_id = $1', [fleet.skriptId])).toHaveLength(1);
  });

  it('repeated with the same Idempotency-Key returns the first run instead of making another', async () => {
    const worker = await fleet.connect();
    const key = { 'idempotency-key': randomUUID() };
    const first = await fleet.start({ input: 1 }, 'wait_ms=0', key);
    const again = await fleet.start({ input: 1 }, 'wait_ms=0', key);
    expect(again.body.id).toBe(first.body.id);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(worker.offers.all).toHaveLength(1);
  });

  it('repeated with the same Idempotency-Key and a saved input returns the first run', async () => {
    const worker = await fleet.connect();
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

  it('by POST accepts ids of a saved input and secret, but refuses an id together with a value', async () => {
    const worker = await fleet.connect();
    const add = async (kind: string, name: string) =>
      (await developer('POST', `/joint-api/${kind}/addnew`, { skript_id: fleet.skriptId, name, val: name })).body.id;
    const saved = {
      input_id: await add('inputs', 'inputSaved.json'),
      inputSecret_id: await add('input-secrets', 'inputSecretSaved.json'),
    };
    const { status, body } = await fleet.start(saved);
    expect([status, body.input.id, body.inputSecret.id]).toEqual([202, saved.input_id, saved.inputSecret_id]);
    expect(await worker.offers.next()).toMatchObject({
      input: '"inputSaved.json"',
      input_secret: '"inputSecretSaved.json"',
    });
    for (const [id, value] of [
      ['input_id', 'input'],
      ['inputSecret_id', 'inputSecret'],
    ]) {
      expect(await fleet.start({ ...saved, [String(value)]: null })).toMatchObject({
        status: 400,
        body: { error_code: 'validation_failed', details: [{ field: id }] },
      });
    }
  });

  it('appears in the latest runs of its skript, but only for the owner', async () => {
    const worker = await fleet.connect();
    const { id } = (await fleet.start({}, 'wait_ms=0')).body;
    await worker.offers.next();
    await worker.finish(id);
    const live = (await fleet.start({}, 'wait_ms=0')).body;
    const latest = `/joint-api/skript-execution/latest-by-skript?skript_ids=${fleet.skriptId},${randomUUID()}`;
    const { items } = (await developer('GET', latest)).body;
    const ended = (await developer('GET', `/joint-api/skript-execution/${id}`)).body;
    expect(items).toMatchObject([
      { id: live.id, action: 'start', ended_at: null },
      { id, action: 'end' },
    ]);
    expect([items[1].started_at, items[1].ended_at]).toEqual([ended.started_at, ended.ended_at]);
    expect((await (await app.as('admin'))('GET', latest)).body).toEqual({ items: [] });
  });

  it('keeps a typed input in the run for repeats, but no saved or large input and no secret', async () => {
    const kept = async (body: object) => {
      const { id } = (await fleet.start({ inputSecret: 'hidden', ...body }, 'wait_ms=0&force=true')).body;
      return (await developer('GET', `/joint-api/skript-execution/${id}`)).body.input_value;
    };
    const saved = { skript_id: fleet.skriptId, name: 'inputOnce.json', val: 1 };
    const { id: input_id } = (await developer('POST', '/joint-api/inputs/addnew', saved)).body;
    expect(await kept({ input: { text: 'a\u0000b' } })).toEqual({ text: 'a\u0000b' });
    expect(await kept({ input_id })).toBeNull();
    expect(await kept({})).toBeNull();
    expect(await kept({ input: 'x'.repeat(65_536) })).toBeNull();
  });

  it('repeated with the same Idempotency-Key after more than a day makes a new run', async () => {
    const worker = await fleet.connect();
    const key = { 'idempotency-key': randomUUID() };
    const first = await fleet.start({ input: 1 }, 'wait_ms=0', key);
    await worker.offers.next();
    await worker.finish(first.body.id);
    await app.sql(`UPDATE start_keys SET created_at = now() - interval '25 hours' WHERE key = $1`, [
      key['idempotency-key'],
    ]);
    const next = await fleet.start({ input: 1 }, 'wait_ms=0', key);
    expect([next.status, next.body.id === first.body.id]).toEqual([202, false]);
    expect((await fleet.start({ input: 1 }, 'wait_ms=0', key)).body.id).toBe(next.body.id);
  });

  it('repeated with the Idempotency-Key of a deleted run is refused with 409', async () => {
    const worker = await fleet.connect();
    const key = { 'idempotency-key': randomUUID() };
    const { body } = await fleet.start({ input: 1 }, 'wait_ms=0', key);
    await worker.offers.next();
    await worker.finish(body.id);
    expect((await developer('DELETE', `/joint-api/skript-execution/${body.id}`)).status).toBe(200);
    expect(await fleet.start({ input: 1 }, 'wait_ms=0', key)).toMatchObject({
      status: 409,
      body: { error_code: 'conflict', error_message: expect.stringContaining('has been deleted') },
    });
  });

  it('waits with the reason worker_offline until its worker connects', async () => {
    let worker = await fleet.connect();
    worker.close();
    await fleet.untilOffline();
    const { body } = await fleet.start();
    expect(body).toMatchObject({ waiting_for: { reason: 'worker_offline' }, started_at: null, ended_at: null });
    worker = await fleet.connect();
    expect((await worker.offers.next()).id).toBe(body.id);
    const begun = await execution(body.id);
    expect(begun).toMatchObject({
      waiting_for: null,
      ended_at: null,
      bundle_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(begun.started_at > begun.created_at).toBe(true);
    await worker.finish(body.id);
    const { started_at: startedAt, ended_at: endedAt } = await execution(body.id);
    expect([startedAt, endedAt > startedAt]).toEqual([begun.started_at, true]);
  });

  it('waits with the reason worker_full until another run of the worker ends', async () => {
    const worker = await fleet.connect({ slots: 1 });
    const { body: first } = await fleet.start({ input: 1 });
    const { body: second } = await fleet.start({ input: 2 });
    expect(second.waiting_for).toMatchObject({ reason: 'worker_full' });
    expect((await worker.offers.next()).id).toBe(first.id);
    await worker.finish(first.id);
    expect((await worker.offers.next()).id).toBe(second.id);
  });

  it('of a browser skript is offered to a worker with a browser, and refused if the worker has none', async () => {
    await developer('PUT', `/joint-api/skripts/${fleet.skriptId}`, { environment: 'browser' });
    let worker = await fleet.connect();
    const refused = await fleet.start();
    expect(refused).toMatchObject({ status: 422, body: { error_code: 'environment_not_available' } });
    expect(refused.body.error_message).toContain('supports the environment `browser`');
    worker.close();
    worker = await fleet.connect({ environments: ['nodejs', 'browser'] });
    const { body: run } = await fleet.start();
    expect(await worker.offers.next()).toMatchObject({ id: run.id, environment: 'browser' });
    const { body: other } = await fleet.start({ worker_id: 'any' });
    expect(await worker.offers.next()).toMatchObject({ id: other.id, environment: 'browser' });
  });

  it('is refused for a Python skript, an unknown worker and another user’s skript', async () => {
    await fleet.connect();
    expect((await fleet.start({ worker_id: randomUUID() })).status).toBe(404);
    expect((await admin('POST', START, { worker_id: 'any', skript_id: fleet.skriptId })).status).toBe(404);
    await developer('PUT', `/joint-api/skripts/${fleet.skriptId}`, { environment: 'python' });
    expect((await fleet.start()).body.error_code).toBe('environment_not_available');
  });
});

describe('special cases of a start:', () => {
  it('the backend repeats an unanswered offer on the same connection', async () => {
    const worker = await fleet.connect();
    worker.answerToOffers = 'none';
    const { body } = await fleet.start();
    expect((await worker.offers.next()).id).toBe(body.id);
    worker.answerToOffers = { accepted: true };
    expect((await worker.offers.next()).id).toBe(body.id);
  });

  it('the backend repeats an offer that the worker refused because it was full', async () => {
    const worker = await fleet.connect();
    worker.answerToOffers = { refused: 'full' };
    const { body } = await fleet.start();
    await worker.offers.next();
    worker.answerToOffers = { accepted: true };
    expect((await worker.offers.next()).id).toBe(body.id);
  });

  it('a run that is stopped while the worker refuses its offer ends as stopped and never begins', async () => {
    const worker = await fleet.connect();
    worker.answerToOffers = 'none';
    const { body } = await fleet.start();
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

  it('a run fails with a reason that names TRAWL_SECRET if its inputs can no longer be decrypted', async () => {
    const { body } = await fleet.start();
    await app.sql(`UPDATE live_runs SET payload = '\\x00' WHERE execution_id = $1`, [body.id]);
    await fleet.connect();
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

  it('a waiting run’s reason changes from worker_full to worker_offline when its worker disconnects', async () => {
    const worker = await fleet.connect({ slots: 1 });
    await fleet.start({ input: 1 });
    const { body } = await fleet.start({ input: 2 });
    expect(body.waiting_for.reason).toBe('worker_full');
    worker.close();
    await until(
      () => execution(body.id),
      seen => seen.waiting_for?.reason === 'worker_offline',
    );
  });

  it('accounts other than the built-in ones are refused a start on a worker without the full sandbox', async () => {
    let worker = await fleet.connect({ sandbox: 'reduced' });
    await app.sql(`UPDATE users SET built_in = false WHERE username = 'developer'`);
    for (const worker_id of [fleet.workerId, 'any']) {
      expect(await fleet.start({ worker_id })).toMatchObject({ status: 403, body: { error_code: 'forbidden' } });
    }
    worker.close();
    worker = await fleet.connect({ sandbox: 'full' });
    expect((await fleet.start()).status).toBe(202);
    await app.sql(`UPDATE users SET built_in = true WHERE username = 'developer'`);
  });

  it('a worker id in upper case identifies the same run as in lower case', async () => {
    await fleet.connect({ slots: 4 });
    expect((await fleet.start({ worker_id: fleet.workerId })).status).toBe(202);
    expect((await fleet.start({ worker_id: fleet.workerId.toUpperCase() })).body.error_code).toBe('already_running');
    expect((await developer('GET', `${STOP}?worker_id=ANY&skript_id=${fleet.skriptId}`)).status).toBe(200);
  });

  it('an Idempotency-Key that another start used with other inputs or options is refused', async () => {
    await fleet.connect();
    const key = { 'idempotency-key': randomUUID() };
    await fleet.start({ input: 1 }, 'wait_ms=0', key);
    const reused = { status: 409, body: { error_code: 'idempotency_key_reused' } };
    expect(await fleet.start({ input: 2 }, 'wait_ms=0', key)).toMatchObject(reused);
    for (const option of ['force=true', 'retries=5', 'timeout_ms=1000', 'retry_delay_ms=5000']) {
      expect(await fleet.start({ input: 1 }, `wait_ms=0&${option}`, key)).toMatchObject(reused);
    }
    expect((await fleet.start({ input: 1 }, 'wait_ms=1', key)).headers.get('idempotency-replayed')).toBe('true');
  });

  it('an Idempotency-Key that another endpoint used is refused by a start, and the other way round', async () => {
    await fleet.connect();
    const reused = { status: 409, body: { error_code: 'idempotency_key_reused' } };
    const [ofStart, ofSkript] = [{ 'idempotency-key': randomUUID() }, { 'idempotency-key': randomUUID() }];
    const make = (key: typeof ofStart) => developer('POST', '/joint-api/skripts/addnew', { title: randomUUID() }, key);
    expect((await fleet.start({ input: 1 }, 'wait_ms=0', ofStart)).status).toBe(202);
    expect(await make(ofStart)).toMatchObject(reused);
    expect((await make(ofSkript)).status).toBe(201);
    expect(await fleet.start({ input: 2 }, 'wait_ms=0', ofSkript)).toMatchObject(reused);
  });

  it('a waiting call gets 202 when the backend stops', async () => {
    const worker = await fleet.connect();
    const waiting = fleet.start({}, 'wait_ms=60000');
    await worker.offers.next();
    await app.stop();
    expect(await waiting).toMatchObject({ status: 202, body: { action: 'start' } });
    await app.start();
  });
});

describe('how runs end:', () => {
  it('a run whose output PostgreSQL refuses ends as output_not_json, without delaying other runs', async () => {
    const worker = await fleet.connect();
    const { body: deep } = await fleet.start({ input: 1 });
    const { body: plain } = await fleet.start({ input: 2 });
    const output = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(await Promise.all([worker.finish(deep.id, { output }), worker.finish(plain.id)])).toEqual([
      { result: 'ok' },
      { result: 'ok' },
    ]);
    expect(await execution(deep.id)).toMatchObject({ action: 'error', error_code: 'output_not_json' });
    expect(await execution(plain.id)).toMatchObject({ action: 'end' });
  });

  it('a run whose finish message is invalid ends as process_ended', async () => {
    const worker = await fleet.connect();
    const { body } = await fleet.start();
    await worker.offers.next();
    expect(await worker.finish(body.id, { last_seq: 2 ** 40 })).toMatchObject({ error: { code: 'invalid_frame' } });
    expect(await execution(body.id)).toMatchObject({ action: 'error', error_code: 'process_ended' });
  });

  it('unknown runs that a worker reports as live take none of its slots', async () => {
    const worker = await fleet.connect({ slots: 1, live: [randomUUID()] });
    const { body } = await fleet.start();
    expect((await worker.offers.next()).id).toBe(body.id);
  });

  it('a second finish message of a run is answered as late and changes nothing', async () => {
    const worker = await fleet.connect();
    const { body } = await fleet.start();
    await worker.finish(body.id);
    expect(await worker.finish(body.id, { action: 'error', error_code: 'exception' })).toEqual({ result: 'late' });
    expect(await execution(body.id)).toMatchObject({ action: 'end', error_code: null });
  });

  it('a run whose worker reconnects as a new process ends as worker_lost and is not offered again', async () => {
    let worker = await fleet.connect();
    const { body } = await fleet.start();
    await worker.offers.next();
    worker.close();
    worker = await fleet.connect();
    expect(await execution(body.id)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
    expect(await worker.finish(body.id)).toEqual({ result: 'late' });
    expect(await execution(body.id)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
    const [row] = await app.sql<any>('SELECT late_result FROM executions WHERE id = $1', [body.id]);
    expect(row.late_result).toMatchObject({ action: 'end' });
    expect(worker.offers.all).toEqual([]);
  });

  it('a run ends with the result that its restarted worker recovers from disk', async () => {
    let worker = await fleet.connect();
    const { body } = await fleet.start();
    worker.close();
    worker = await fleet.connect({ done: [body.id, randomUUID()] });
    expect(worker.welcome.forget).toHaveLength(1);
    expect(await worker.finish(body.id)).toEqual({ result: 'ok' });
    expect(await execution(body.id)).toMatchObject({ action: 'end' });
  });

  it('a run continues and ends normally after its worker’s connection was broken', async () => {
    let worker = await fleet.connect();
    const { body } = await fleet.start();
    worker.close();
    worker = await fleet.connect({ boot_id: worker.bootId, live: [body.id] });
    expect(worker.welcome).toMatchObject({ kill: [], epoch: 2 });
    expect(await worker.finish(body.id)).toEqual({ result: 'ok' });
  });

  it('a run continues and ends normally after a restart of the backend', async () => {
    let worker = await fleet.connect();
    const { body } = await fleet.start();
    await worker.offers.next();
    await app.stop();
    await app.start();
    worker = await fleet.connect({ boot_id: worker.bootId, live: [body.id] });
    await worker.finish(body.id);
    expect(await execution(body.id)).toMatchObject({ action: 'end', output: { done: true } });
  });

  it('a run whose offer had no answer before a reconnect is offered again to the same boot', async () => {
    let worker = await fleet.connect();
    worker.answerToOffers = 'none';
    const { body } = await fleet.start();
    await worker.offers.next();
    worker.close();
    worker = await fleet.connect({ boot_id: worker.bootId });
    expect((await worker.offers.next()).id).toBe(body.id);
  });

  it('a worker that reconnects and reports an ended run as live is told to kill it', async () => {
    let worker = await fleet.connect();
    const ended = randomUUID();
    worker.close();
    worker = await fleet.connect({ boot_id: worker.bootId, live: [ended] });
    expect(worker.welcome.kill).toEqual([ended]);
  });
});

describe('messages of a worker', () => {
  it('with an older epoch are refused', async () => {
    const worker = await fleet.connect();
    const { body } = await fleet.start();
    expect(await worker.finish(body.id, {}, 0)).toMatchObject({ error: { code: 'stale_epoch' } });
    expect(await worker.send('beat', { epoch: 99, n: 1, free: 1, load: 0 })).toMatchObject({
      error: { code: 'stale_epoch' },
    });
    expect((await execution(body.id)).action).toBe('start');
  });

  it('are refused after its lease has expired, so that it has to say hello again', async () => {
    const worker = await fleet.connect();
    await app.sql('UPDATE worker_leases SET lease_until = now() WHERE worker_id = $1', [fleet.workerId]);
    const beat = { epoch: worker.welcome.epoch, n: 1, free: 1, load: 0 };
    expect(await worker.send('beat', beat)).toMatchObject({ error: { code: 'stale_epoch' } });
  });

  it('with invalid fields are refused with an error that names the message', async () => {
    const worker = await fleet.connect();
    expect(await worker.send('beat', { epoch: 1, n: 'x', free: 1, load: 0 })).toMatchObject({
      error: { code: 'invalid_frame', message: expect.stringContaining('beat') },
    });
  });

  it('for a run on another worker have no effect', async () => {
    await fleet.connect();
    const { body } = await fleet.start();
    const other = await makeWorkerAndSkript(app, 'other');
    const stranger = await other.connect();
    expect(await stranger.finish(body.id)).toEqual({ result: 'late' });
    const failed = { action: 'error', output: null, error_code: 'exception', error_stack: 'Error: forged' };
    expect(await stranger.finish(body.id, failed)).toEqual({ result: 'late' });
    await stranger.chunk(body.id, 1, 1, ['forged']);
    stranger.close();
    expect((await execution(body.id)).action).toBe('start');
    expect(await app.sql('SELECT 1 FROM echo_chunks WHERE execution_id = $1', [body.id])).toEqual([]);
  });

  it('are refused at the connection if the worker’s key is unknown', async () => {
    await expect(TestWorker.connect(app, 'trw_unknown')).rejects.toThrow('TRAWL_WORKER_KEY');
  });

  it('for storage are refused with a wrong token or after the run has ended', async () => {
    const worker = await fleet.connect();
    const { body } = await fleet.start();
    const { token } = await worker.offers.next();
    const frame = (change: object) => ({
      epoch: worker.welcome.epoch,
      id: body.id,
      op_id: 1,
      token,
      op: { collection: 'books', method: 'countDocuments', args: encodeMessage({ filter: {} }), resend: false },
      ...change,
    });
    expect(await worker.send('storage', frame({}))).toMatchObject({ result: expect.any(Buffer) });
    expect(await worker.send('storage', frame({ token: 'wrong' }))).toMatchObject({ error: { code: 'run_ended' } });
    await worker.finish(body.id);
    expect(await worker.send('storage', frame({}))).toMatchObject({ error: { code: 'run_ended' } });
  });

  it('for storage are executed once per connection, even if they are delivered several times', async () => {
    let worker = await fleet.connect();
    const { body } = await fleet.start();
    const { token } = await worker.offers.next();
    const frame = (op_id: number, method: string, args: object) => ({
      epoch: worker.welcome.epoch,
      id: body.id,
      op_id,
      token,
      op: { collection: 'once', method, args: encodeMessage(args), resend: false },
    });
    const add = (op_id: number) => frame(op_id, 'updateOne', { filter: {}, update: { $inc: { n: 1 } }, upsert: true });
    await worker.send('storage', add(1));
    const answered = jest.fn();
    for (let again = 0; again < 10; again += 1) worker.socket.emit('storage', add(1), answered);
    await worker.send('storage', add(2));
    const values = frame(3, 'distinct', { field: 'n', filter: {} });
    expect(await worker.send('storage', values)).toEqual({ result: encodeMessage({ values: [2] }) });
    expect(answered).not.toHaveBeenCalled();

    // An operation that is repeated over another connection is carried out again.
    worker.close();
    worker = await fleet.connect({ boot_id: worker.bootId, live: [body.id] });
    expect(await worker.send('storage', { ...values, epoch: worker.welcome.epoch })).toMatchObject({
      result: expect.any(Buffer),
    });
  });
});

describe('a stop', () => {
  it('ends a waiting run at once', async () => {
    const { body } = await fleet.start();
    const { body: stopped } = await developer('GET', `${STOP}?execution_id=${body.id}`);
    expect(stopped).toMatchObject([{ id: body.id, action: 'stop' }]);
  });

  it('is sent to the run’s worker, and again when the worker reconnects', async () => {
    let worker = await fleet.connect();
    const { body } = await fleet.start();
    await worker.offers.next();
    expect((await developer('GET', `${STOP}?skript_id=${fleet.skriptId}`)).body).toMatchObject([{ id: body.id }]);
    expect(await worker.controls.next()).toEqual({ id: body.id, cmd: 'stop', cmd_seq: 1 });
    worker.close();
    worker = await fleet.connect({ boot_id: worker.bootId, live: [body.id] });
    expect(worker.welcome.controls).toEqual([{ id: body.id, cmd: 'stop', cmd_seq: 1 }]);
    await worker.finish(body.id, { action: 'stop', output: null });
    expect((await execution(body.id)).action).toBe('stop');
  });

  it('answers 404 if no live run matches, and 400 if the call has no id', async () => {
    expect(await developer('GET', `${STOP}?skript_id=${fleet.skriptId}`)).toMatchObject({
      status: 404,
      body: { error_code: 'no_live_run' },
    });
    expect((await developer('GET', STOP)).status).toBe(400);
  });

  it('of another user’s run answers 404, and the run continues', async () => {
    await fleet.connect();
    const { body } = await fleet.start();
    expect((await admin('GET', `${STOP}?execution_id=${body.id}`)).status).toBe(404);
    expect((await admin('POST', `/joint-api/skript-execution/${body.id}/stop`)).status).toBe(404);
    expect((await execution(body.id)).action).toBe('start');
  });

  it('by POST affects only the named run, as do pause and resume', async () => {
    const worker = await fleet.connect();
    const [named, other] = [(await fleet.start({ input: 1 })).body.id, (await fleet.start({ input: 2 })).body.id];
    for (const [cmd, action] of [
      ['pause', 'pause'],
      ['resume', 'start'],
      ['stop', 'start'],
    ]) {
      const answer = await developer('POST', `/joint-api/skript-execution/${named}/${cmd}`);
      expect(answer).toMatchObject({ status: 200, body: [{ id: named, action }] });
      // The backend may send a command again before it has seen the acknowledgement.
      await until(
        () => worker.controls.all.at(-1),
        last => last?.id === named && last?.cmd === cmd,
      );
    }
    await worker.finish(named, { action: 'stop', output: null });
    expect([(await execution(named)).action, (await execution(other)).action]).toEqual(['stop', 'start']);
    expect((await developer('POST', `/joint-api/skript-execution/${named}/resume`)).body.error_code).toBe(
      'no_live_run',
    );
  });
});

describe('runs', () => {
  it('cannot be deleted while they are live; an ended run is deleted with its echoes', async () => {
    const worker = await fleet.connect();
    const { body } = await fleet.start();
    await worker.chunk(body.id, 1, 1, ['one']);
    const path = `/joint-api/skript-execution/${body.id}`;
    expect((await developer('DELETE', path)).body.error_code).toBe('has_live_run');
    await worker.finish(body.id);
    expect((await developer('DELETE', path)).body).toEqual({ deleted: { skript_executions: 1, echo_chunks: 1 } });
    expect((await developer('GET', path)).status).toBe(404);
  });

  it('can be deleted many at once; live runs and those with a live retry stay', async () => {
    const worker = await fleet.connect({ slots: 8 });
    const start = async (input: number, query = 'wait_ms=0') => (await fleet.start({ input }, query)).body.id;
    const [ended, live] = [await start(1), await start(2)];
    const failed = await start(3, 'wait_ms=0&retries=1&retry_delay_ms=0');
    await worker.chunk(ended, 1, 1, ['one']);
    await worker.finish(ended);
    await worker.finish(failed, { action: 'error', output: null, error_code: 'exception', error_stack: 'Error' });
    const deleteMany = (body: object, api = developer) => api('POST', '/joint-api/skript-execution/delete-many', body);
    const deleted = (skript_executions: number, echo_chunks: number, more = false, kept: string[] = []) => ({
      status: 200,
      body: { deleted: { skript_executions, echo_chunks }, more, kept },
    });
    expect(await deleteMany({})).toMatchObject({ status: 400, body: { details: [{ field: 'ids' }] } });
    const ids = [ended, live, failed];
    expect(await deleteMany({ ids }, admin)).toMatchObject(deleted(0, 0, false, ids));
    expect(await deleteMany({ ids, action: 'stop' })).toMatchObject(deleted(0, 0, false, ids));
    expect(await deleteMany({ ids })).toMatchObject(deleted(1, 1, false, [live, failed]));
    expect((await developer('GET', `/joint-api/skript-execution/${ended}`)).status).toBe(404);
    expect((await Promise.all([live, failed].map(execution))).map(({ id }) => id)).toEqual([live, failed]);
    await app.sql(
      `INSERT INTO executions (id, owner_id, skript_id, skript_name, skript_category, bundle_hash, action)
       SELECT uuidv7(), owner_id, skript_id, skript_name, skript_category, bundle_hash, 'end'
       FROM executions, generate_series(1, 1001) WHERE id = $1`,
      [failed],
    );
    const ofSkript = { skript_id: fleet.skriptId };
    expect(await deleteMany(ofSkript)).toMatchObject(deleted(1_000, 0, true));
    expect(await deleteMany(ofSkript)).toMatchObject(deleted(1, 0));
  });

  it('keep the name of their worker after it is deleted, even if they were requested for any worker', async () => {
    const worker = await fleet.connect();
    const { body: named } = await fleet.start();
    await worker.finish(named.id);
    const { body: any } = await fleet.start({ worker_id: 'any' });
    await until(
      () => execution(any.id),
      ({ started_at }) => started_at !== null,
    );
    // Turn it into a waiting run again, in one statement, because the worker may claim it at once.
    await app.sql(
      `WITH waiting AS (
         UPDATE live_runs SET worker_id = NULL, boot_id = NULL, waiting_reason = 'worker_full', waiting_since = now()
         WHERE execution_id = $1
       )
       UPDATE executions SET worker_id = NULL, worker_name = NULL WHERE id = $1`,
      [any.id],
    );
    await until(
      () => execution(any.id),
      ({ worker: its }) => its?.id === fleet.workerId,
    );
    await worker.finish(any.id);
    worker.close();
    const { name } = (await admin('GET', `/joint-api/workers/${fleet.workerId}`)).body;
    await admin('DELETE', `/joint-api/workers/${fleet.workerId}`);
    expect(await execution(named.id)).toMatchObject({ worker: { id: fleet.workerId, name } });
    expect(await execution(any.id)).toMatchObject({ worker: { id: fleet.workerId, name } });
  });

  it('are listed to their owner only, newest first, with filters and without outputs', async () => {
    const worker = await fleet.connect();
    const { body: first } = await fleet.start({ input: 1 });
    const { body: second } = await fleet.start({ input: 2 });
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
    expect((await list(`&id_contains=${second.id.slice(-8)}`)).body).toMatchObject({
      total: 1,
      items: [{ id: second.id }],
    });
    expect((await list(`&id_contains=${second.id.slice(-8)}`, await app.as('admin'))).body.total).toBe(0);
    expect((await list('&id_contains=%25%25%25%25')).body).toMatchObject({ details: [{ field: 'id_contains' }] });
    expect((await list('&sort=output')).body).toMatchObject({
      error_code: 'validation_failed',
      details: [{ field: 'sort' }],
    });
    expect((await list('&limit=0')).body.details).toMatchObject([{ field: 'limit' }]);
    expect((await list('&colour=red')).body.details).toMatchObject([{ field: 'colour' }]);
  });

  it('of all accounts are listed to administrators, without inputs, outputs and error stacks', async () => {
    const worker = await fleet.connect();
    const [{ body: live }, { body: failed }] = [await fleet.start({ input: 'live' }), await fleet.start({ input: 2 })];
    await worker.finish(failed.id, { action: 'error', output: null, error_code: 'exception', error_stack: 'Secret' });
    const list = (query: string, api = admin) => api('GET', `/joint-api/skript-execution/list-all?${query}`);
    const idsOf = async (query: string) => (await list(query)).body.items.map(({ id }: { id: string }) => id);
    const of = `worker_id=${fleet.workerId}`;
    const { body } = await list(`${of}&limit=1`);
    const owner = { id: expect.any(String), username: 'developer' };
    expect(body).toMatchObject({ total: 2, items: [{ id: failed.id, owner, error_code: 'exception' }] });
    for (const hidden of ['input', 'inputSecret', 'output', 'error_stack'])
      expect(body.items[0]).not.toHaveProperty(hidden);
    expect(await idsOf(`${of}&after=${body.next}`)).toEqual([live.id]);
    expect(await idsOf(`${of}&action=start`)).toEqual([live.id]);
    expect(await idsOf(`${of}&action=error&skript_id=${fleet.skriptId}`)).toEqual([failed.id]);
    expect(await idsOf(`${of}&user_id=${body.items[0].owner.id}&sort=id`)).toEqual([live.id, failed.id]);
    expect(await idsOf(`${of}&user_id=${randomUUID()}`)).toEqual([]);
    expect((await list('', developer)).status).toBe(403);
  });
});
