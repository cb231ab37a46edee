import { randomUUID } from 'node:crypto';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, makeWorkerAndSkript } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { EndingsService } from './endings.service.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);

const ROUTES = '/joint-api/execute-skript/single-worker';
const FAILED = { action: 'error', output: null, error_code: 'exception', error_stack: 'Error: no answer' };

const start = (query: string, body?: object, headers?: Record<string, string>) => fleet.start(body, query, headers);
const execution = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;
const chainOf = async (id: string) =>
  (await developer('GET', `/joint-api/skript-execution/list?retry_of=${id}&sort=created_at`)).body.items;

it('a failed run is retried with the same inputs, and the waiting call gets the last attempt', async () => {
  const worker = await fleet.connect();
  const answer = start('retries=2&retry_delay_ms=0', { input: { a: 1 }, inputSecret: 'hidden' });
  const first = await worker.offers.next();
  expect(first.ends_with_lease).toBe(true);
  await worker.finish(first.id, FAILED);
  const second = await worker.offers.next();
  expect(second).toMatchObject({ input: '{"a":1}', input_secret: '"hidden"', ends_with_lease: true });
  await worker.finish(second.id, { ...FAILED, error_code: 'time_limit' });
  const third = await worker.offers.next();
  expect(third).toMatchObject({ input_secret: '"hidden"', ends_with_lease: false });
  await worker.finish(third.id);
  expect(await answer).toMatchObject({
    status: 200,
    body: { id: third.id, action: 'end', attempt: 3, retry_of: first.id, output: { done: true } },
  });
  expect(await chainOf(first.id)).toMatchObject([
    { id: second.id, attempt: 2, retry_of: first.id, error_code: 'time_limit' },
    { id: third.id, attempt: 3 },
  ]);
  expect(await execution(first.id)).toMatchObject({ attempt: 1, retry_of: null, error_code: 'exception' });
  expect([(await execution(first.id)).input_value, (await execution(third.id)).input_value]).toEqual([
    { a: 1 },
    { a: 1 },
  ]);
});

it('the last failed attempt keeps its error, and the stored inputs are deleted', async () => {
  const worker = await fleet.connect();
  const answer = start('retries=1&retry_delay_ms=0', { inputSecret: 'hidden' });
  for (let attempt = 0; attempt < 2; attempt++) await worker.finish((await worker.offers.next()).id, FAILED);
  expect((await answer).body).toMatchObject({ attempt: 2, action: 'error', error_code: 'exception' });
  expect(
    await app.sql('SELECT 1 FROM live_runs r JOIN executions e ON e.id = r.execution_id WHERE e.skript_id = $1', [
      fleet.skriptId,
    ]),
  ).toEqual([]);
});

it('a retry waits for the retry delay, shows until when, and blocks a start of the same run', async () => {
  const worker = await fleet.connect();
  const { body } = await start('wait_ms=0&retries=1&retry_delay_ms=3600000');
  await worker.finish((await worker.offers.next()).id, FAILED);
  const [retry] = await chainOf(body.id);
  expect(retry).toMatchObject({ action: 'start', attempt: 2, waiting_for: { reason: 'retry_scheduled' } });
  const waitMs = Date.parse(retry.waiting_for.until) - Date.parse(retry.waiting_for.since);
  expect(waitMs).toBe(3_600_000);
  expect((await start('wait_ms=0')).body).toMatchObject({
    error_code: 'already_running',
    details: { execution_id: retry.id },
  });
  await app.sql(`UPDATE live_runs SET run_after = now() WHERE execution_id = $1`, [retry.id]);
  expect((await worker.offers.next()).id).toBe(retry.id);
});

it('a stop with the id of the first attempt stops the retry that waits', async () => {
  const worker = await fleet.connect();
  const { body } = await start('wait_ms=0&retries=5&retry_delay_ms=3600000');
  await worker.finish((await worker.offers.next()).id, FAILED);
  const [retry] = await chainOf(body.id);
  expect((await developer('GET', `${ROUTES}/stop?execution_id=${body.id}`)).body).toMatchObject([
    { id: retry.id, action: 'stop' },
  ]);
  expect(await chainOf(body.id)).toHaveLength(1);
});

it.each([
  ['stop', { action: 'stop', output: null }],
  ['end', {}],
  ['output_not_json', { ...FAILED, error_code: 'output_not_json' }],
  ['not_a_function', { ...FAILED, error_code: 'not_a_function' }],
])('a run is not retried after %s', async (_, ending) => {
  const worker = await fleet.connect();
  const { body } = await start('wait_ms=0&retries=3&retry_delay_ms=0');
  await worker.finish((await worker.offers.next()).id, ending);
  expect(await chainOf(body.id)).toEqual([]);
});

it('a run that fails after a stop command is not retried', async () => {
  const worker = await fleet.connect();
  const { body } = await start('wait_ms=0&retries=3&retry_delay_ms=0');
  const { id } = await worker.offers.next();
  await developer('GET', `${ROUTES}/stop?execution_id=${id}`);
  await worker.finish(id, FAILED);
  expect(await chainOf(body.id)).toEqual([]);
});

it('a run whose worker is lost is retried once, even if several sweeps find the loss', async () => {
  const worker = await fleet.connect();
  const { body } = await start('wait_ms=0&retries=1&retry_delay_ms=0', { worker_id: 'any' });
  await worker.offers.next();
  await app.sql(`UPDATE worker_leases SET lease_until = now() - interval '1 second' WHERE worker_id = $1`, [
    fleet.workerId,
  ]);
  await Promise.all(Array.from({ length: 8 }, () => app.part(EndingsService).endRunsOfLostWorkers()));
  expect(await execution(body.id)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
  expect(await chainOf(body.id)).toMatchObject([{ attempt: 2, action: 'start' }]);
  expect(await worker.finish(body.id)).toEqual({ result: 'late' });
  // Stop the retry. It may run on any worker, so the worker of the next test could take it.
  await developer('GET', `${ROUTES}/stop?execution_id=${body.id}`);
  expect(await chainOf(body.id)).toHaveLength(1);
});

/** Expires the worker's lease and ends its runs. */
async function loseWorker(): Promise<void> {
  await app.sql(`UPDATE worker_leases SET lease_until = now() - interval '1 second' WHERE worker_id = $1`, [
    fleet.workerId,
  ]);
  await app.part(EndingsService).endRunsOfLostWorkers();
}
const control = (command: string, id: string) => developer('GET', `${ROUTES}/${command}?execution_id=${id}`);

it('a paused run whose worker is lost gets a paused retry, which waits until it is resumed', async () => {
  let worker = await fleet.connect();
  const { body } = await start('wait_ms=0&retries=1&retry_delay_ms=0');
  const { id } = await worker.offers.next();
  const paused = control('pause', id);
  await worker.controls.next();
  await paused;
  await loseWorker();
  const [retry] = await chainOf(body.id);
  expect(retry).toMatchObject({ attempt: 2, action: 'pause' });
  worker.close();
  worker = await fleet.connect({ slots: 2 });
  // This newer run is offered although the retry waits longer, which shows that the paused retry is skipped.
  await start('wait_ms=0', { input: 1 });
  expect((await worker.offers.next()).id).not.toBe(retry.id);
  await control('resume', retry.id);
  expect((await worker.offers.next()).id).toBe(retry.id);
});

it('a run whose worker is lost after a stop command ends as stopped, without a retry', async () => {
  const worker = await fleet.connect();
  const { body } = await start('wait_ms=0&retries=3&retry_delay_ms=0');
  await worker.offers.next();
  await control('stop', body.id);
  await loseWorker();
  expect(await execution(body.id)).toMatchObject({ action: 'stop', error_code: null, error_stack: null });
  expect(await chainOf(body.id)).toEqual([]);
});

it('a stop with the id of any attempt stops the live one; until then the first cannot be deleted', async () => {
  const worker = await fleet.connect();
  const { body } = await start('wait_ms=0&retries=5&retry_delay_ms=0');
  await worker.finish((await worker.offers.next()).id, FAILED);
  const second = await worker.offers.next();
  await worker.finish(second.id, FAILED);
  const third = await worker.offers.next();
  const first = `/joint-api/skript-execution/${body.id}`;
  expect(await developer('DELETE', first)).toMatchObject({ status: 409, body: { error_code: 'has_live_run' } });
  expect((await control('stop', second.id)).body).toMatchObject([{ id: third.id }]);
  await worker.finish(third.id, { action: 'stop', output: null });
  expect(await developer('DELETE', first)).toMatchObject({ status: 200 });
});

it('a run uses the skript’s retries and time limit unless its start sets others', async () => {
  const path = `/joint-api/skripts/${fleet.skriptId}`;
  await developer('PUT', path, { retries: 1, retry_delay_ms: 0, time_limit_ms: 5_000 });
  const worker = await fleet.connect({ slots: 4 });
  await start('wait_ms=0');
  expect(await worker.offers.next()).toMatchObject({ ends_with_lease: true, limits: { time_ms: 5_000 } });
  await start('wait_ms=0&retries=0&timeout_ms=7000', { input: 1 });
  expect(await worker.offers.next()).toMatchObject({ ends_with_lease: false, limits: { time_ms: 7_000 } });
  expect((await start('timeout_ms=1')).body.details).toMatchObject([{ field: 'timeout_ms' }]);
  expect((await start('retries=11')).body.details).toMatchObject([{ field: 'retries' }]);
});

it('a start repeated with its Idempotency-Key waits for the retry and answers with the last attempt', async () => {
  const worker = await fleet.connect();
  const key = { 'idempotency-key': randomUUID() };
  const { body } = await start('wait_ms=0&retries=1&retry_delay_ms=0', {}, key);
  await worker.finish((await worker.offers.next()).id, FAILED);
  const again = start('retries=1&retry_delay_ms=0', {}, key);
  await worker.finish((await worker.offers.next()).id);
  expect((await again).body).toMatchObject({ retry_of: body.id, attempt: 2, action: 'end' });
});

it('a run requested for any worker may be retried on another worker', async () => {
  const worker = await fleet.connect();
  const { body } = await start('wait_ms=0&retries=1&retry_delay_ms=3600000', { worker_id: 'any' });
  await worker.finish((await worker.offers.next()).id, FAILED);
  const [retry] = await chainOf(body.id);
  worker.close();
  const other = await (await makeWorkerAndSkript(app, 'retries-other')).connect();
  await app.sql('UPDATE live_runs SET run_after = now() WHERE execution_id = $1', [retry.id]);
  const taken = await Promise.race([
    other.offers.next(),
    until(
      () => app.sql<any>('SELECT waiting_reason FROM live_runs WHERE execution_id = $1', [retry.id]),
      ([row]) => row?.waiting_reason === 'worker_offline',
    ),
  ]);
  expect(taken).toMatchObject({ id: retry.id });
  await other.finish(retry.id);
  other.close();
});

it('a retry waits for its worker if that is offline when the retry is due', async () => {
  let worker = await fleet.connect();
  const { body } = await start('wait_ms=0&retries=1&retry_delay_ms=0');
  const { id } = await worker.offers.next();
  worker.answerToOffers = 'none';
  await worker.finish(id, FAILED);
  worker.close();
  await until(
    () => chainOf(body.id),
    ([retry]) => retry?.action === 'start',
  );
  worker = await fleet.connect({ boot_id: worker.bootId });
  const offer = await worker.offers.next();
  await worker.finish(offer.id);
  expect(await execution(offer.id)).toMatchObject({ action: 'end', retry_of: body.id });
});
