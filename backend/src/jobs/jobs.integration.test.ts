import { randomUUID } from 'node:crypto';
import { appForFile } from '../../test/test-app.js';
import { until } from '../../test/until.js';
import { ApiError } from '../common/errors.js';
import type { Job } from './job.entity.js';
import { type JobContext, JobKinds, type TakenJob } from './job-kinds.service.js';
import { JobRunnerService } from './job-runner.service.js';
import { MAX_ATTEMPTS } from './jobs.repository.js';
import { JobsService, MAX_OPEN_JOBS } from './jobs.service.js';

const { app } = appForFile({ settings: { leaseMs: 2_000 } });

interface Run {
  job: TakenJob<{ n?: number }>;
  context: JobContext;
  finish: (result?: unknown) => void;
  fail: (error: Error) => void;
}
let runs: Run[];

/** Registers a kind whose jobs wait until the test ends them. */
function registerKind(): void {
  app.part(JobKinds).register<{ n?: number }, unknown>('test', {
    run: (job, context) =>
      new Promise((resolve, reject) => {
        runs.push({ job, context, finish: resolve, fail: reject });
        context.signal.addEventListener('abort', () => reject(new Error('stopped')));
      }),
    onDone: async (transaction, { id }, result) => {
      if (result === 'refused') throw new Error('not written');
      await transaction.query(
        'UPDATE users SET updated_at = now() WHERE id = (SELECT owner_id FROM jobs WHERE id = $1)',
        [id],
      );
    },
  });
}

beforeAll(registerKind);
beforeEach(() => {
  runs = [];
});
afterEach(async () => {
  await app.sql('DELETE FROM jobs');
  for (const { job } of runs) app.part(JobRunnerService).cancel(job.id);
});

async function account(): Promise<string> {
  const id = randomUUID();
  await app.sql(`INSERT INTO users (id, username, role) VALUES ($1, $2, 'developer')`, [id, `${id}@example.com`]);
  return id;
}

const jobs = () => app.part(JobsService);
const get = ({ owner_id, id }: Job) => jobs().get(owner_id, 'test', id);
const ended = (job: Job) =>
  until(
    () => get(job),
    ({ ended_at }) => ended_at !== null,
  );
const run = (job: Job, attempt = 1) =>
  until(
    () => runs.find(one => one.job.id === job.id && one.job.attempt === attempt) as Run,
    found => found !== undefined,
  );
const endLease = (job: Job) => app.sql(`UPDATE jobs SET lease_until = now() - interval '1 s' WHERE id = $1`, [job.id]);

it('a job saves its progress and its result', async () => {
  const job = await jobs().add(await account(), 'test', { n: 7 });
  expect(job).toMatchObject({ state: expect.stringMatching(/^(queued|running)$/), progress: {}, result: null });
  const { job: taken, context, finish } = await run(job);
  expect(taken).toMatchObject({ params: { n: 7 }, attempt: 1 });
  context.progress({ rows: 3 });
  await until(
    () => get(job),
    ({ progress }) => progress.rows === 3,
  );
  finish({ file: 'x' });
  expect(await ended(job)).toMatchObject({ state: 'done', result: { file: 'x' }, error_code: null });
});

it('the owner sees the reason of an expected failure, and no details of any other', async () => {
  const owner = await account();
  const expected = await jobs().add(owner, 'test', {});
  (await run(expected)).fail(new ApiError('storage_rejected', 'The filter is wrong.'));
  expect(await ended(expected)).toMatchObject({
    state: 'failed',
    error_code: 'storage_rejected',
    error_message: 'The filter is wrong.',
  });
  const other = await jobs().add(owner, 'test', {});
  (await run(other)).fail(new Error('secret detail'));
  const { error_code, error_message } = await ended(other);
  expect(error_code).toBe('internal_error');
  expect(error_message).not.toContain('secret');
});

it('cancelling ends a queued job at once and a running one soon', async () => {
  const owner = await account();
  const [first, second, queued] = await Promise.all([1, 2, 3].map(n => jobs().add(owner, 'test', { n })));
  const running = await until(
    () => runs.map(({ job }) => job.id),
    ids => ids.length === 2,
  );
  const waiting = [first, second, queued].find(job => job && !running.includes(job.id)) as Job;
  expect(await jobs().cancel(owner, 'test', waiting.id)).toMatchObject({ state: 'cancelled' });
  for (const id of running) await jobs().cancel(owner, 'test', id);
  for (const id of running) expect(await ended({ owner_id: owner, id } as Job)).toMatchObject({ state: 'cancelled' });
  expect(await jobs().cancel(owner, 'test', String(running[0]))).toMatchObject({ state: 'cancelled' });
});

it('a job that another backend cancelled, or whose row is gone, stops', async () => {
  const owner = await account();
  const cancelled = await jobs().add(owner, 'test', {});
  await run(cancelled);
  await app.sql('UPDATE jobs SET cancel_requested = true WHERE id = $1', [cancelled.id]);
  expect(await ended(cancelled)).toMatchObject({ state: 'cancelled' });

  const deleted = await jobs().add(owner, 'test', {});
  const { context } = await run(deleted);
  await app.sql('DELETE FROM users WHERE id = $1', [owner]);
  await until(
    () => context.signal.aborted,
    aborted => aborted,
  );
});

it('after its lease a job is taken again, and the first backend’s result no longer counts', async () => {
  const job = await jobs().add(await account(), 'test', {});
  const first = await run(job);
  await endLease(job);
  app.part(JobRunnerService).flush();
  const second = await run(job, 2);
  first.finish('late');
  await until(
    () => first.context.signal.aborted || runs.length,
    seen => Boolean(seen),
  );
  second.finish('in time');
  expect(await ended(job)).toMatchObject({ state: 'done', result: 'in time', attempt: 2 });
});

it('a job that stopped its backend too often fails', async () => {
  const job = await jobs().add(await account(), 'test', {});
  await run(job);
  await app.sql(`UPDATE jobs SET attempt = $2, lease_until = now() - interval '1 s' WHERE id = $1`, [
    job.id,
    MAX_ATTEMPTS,
  ]);
  expect(await ended(job)).toMatchObject({ state: 'failed', error_code: 'internal_error' });
});

it('an account with many jobs does not delay the first job of another', async () => {
  const [busy, other] = [await account(), await account()];
  for (let n = 0; n < 4; n += 1) await jobs().add(busy, 'test', { n });
  await until(
    () => runs.length,
    count => count === 2,
  );
  const job = await jobs().add(other, 'test', {});
  runs[0]?.finish();
  await until(
    () => runs.length,
    count => count === 3,
  );
  expect(runs[2]?.job.id).toBe(job.id);
});

it('an account has a limited number of open jobs, even if calls are parallel', async () => {
  const owner = await account();
  const calls = Array.from({ length: MAX_OPEN_JOBS + 3 }, () => jobs().add(owner, 'test', {}));
  const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(3);
  expect(refused[0]).toMatchObject({ reason: { code: 'too_many_requests' } });
});

it('what onDone cannot write leaves the job not done', async () => {
  const job = await jobs().add(await account(), 'test', {});
  (await run(job)).finish('refused');
  // The lease ends, and the job is taken again.
  const again = await run(job, 2);
  expect(await get(job)).toMatchObject({ state: 'running', result: null });
  again.finish('fine');
  expect(await ended(job)).toMatchObject({ state: 'done', result: 'fine' });
});

it('a backend that stops gives its jobs back', async () => {
  const job = await jobs().add(await account(), 'test', {});
  await run(job);
  await app.stop();
  expect(await app.sql('SELECT state, attempt FROM jobs WHERE id = $1', [job.id])).toEqual([
    { state: 'queued', attempt: 0 },
  ]);
  await app.start();
  registerKind();
  const again = await until(
    () => runs.filter(one => one.job.id === job.id)[1],
    found => found !== undefined,
  );
  again?.finish('done later');
  expect(await ended(job)).toMatchObject({ state: 'done', attempt: 1 });
});

it('old jobs are deleted', async () => {
  const owner = await account();
  const job = await jobs().add(owner, 'test', {});
  (await run(job)).finish();
  await ended(job);
  await app.part(JobRunnerService).deleteOld();
  expect(await get(job)).toBeDefined();
  await app.sql(`UPDATE jobs SET ended_at = now() - interval '8 days' WHERE id = $1`, [job.id]);
  await app.part(JobRunnerService).deleteOld();
  await expect(get(job)).rejects.toMatchObject({ code: 'not_found' });
  expect(await jobs().withoutRow([job.id])).toEqual([job.id]);
});

it('another account’s jobs do not exist', async () => {
  const job = await jobs().add(await account(), 'test', {});
  const other = await account();
  await expect(jobs().get(other, 'test', job.id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(jobs().cancel(other, 'test', job.id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(jobs().delete(other, 'test', job.id)).rejects.toMatchObject({ code: 'not_found' });
  expect(await get(job)).toBeDefined();
});
