import { randomUUID } from 'node:crypto';
import { stepsOfDeletes as stepsIn } from '../../../test/delete-steps.js';
import { appForFile } from '../../../test/test-app.js';
import { until } from '../../../test/until.js';
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
/** Ids and states of the jobs whose `onEnd` was called. */
let ends: [string, string][];

/** Registers two kinds whose jobs wait until the test ends them. Those of `hasty` have a short deadline. */
function registerKinds(): void {
  for (const [name, deadlineMs] of [
    ['test', 600_000],
    ['hasty', 300],
  ] as const) {
    app.part(JobKinds).register<{ n?: number; ignores?: boolean }, unknown>(name, {
      deadlineMs,
      run: (job, context) =>
        new Promise((resolve, reject) => {
          runs.push({ job, context, finish: resolve, fail: reject });
          if (!job.params.ignores) context.signal.addEventListener('abort', () => reject(new Error('stopped')));
        }),
      onEnd: async (transaction, { id }, end) => {
        if (end.state === 'done' && end.result === 'refused') throw new Error('not written');
        ends.push([id, end.state]);
        await transaction.query(
          'UPDATE users SET updated_at = now() WHERE id = (SELECT owner_id FROM jobs WHERE id = $1)',
          [id],
        );
      },
    });
  }
}

beforeAll(registerKinds);
beforeEach(() => {
  runs = [];
  ends = [];
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
const get = ({ owner_id, id, kind = 'test' }: Job) => jobs().get(owner_id, kind, id);
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
const stepsOfDeletes = (table: string, work: () => Promise<unknown>) => stepsIn(app, table, work);
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

it('the owner of a job sees the reason of an expected failure, and no details of an unexpected one', async () => {
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

it('cancelling ends a queued job at once and a running job soon', async () => {
  const owner = await account();
  const running = await jobs().add(owner, 'test', {});
  await run(running);
  const queued = await jobs().add(owner, 'test', {});
  expect(await jobs().cancel(owner, 'test', queued.id)).toMatchObject({ state: 'cancelled' });
  await jobs().cancel(owner, 'test', running.id);
  expect(await ended(running)).toMatchObject({ state: 'cancelled' });
  expect(await jobs().cancel(owner, 'test', running.id)).toMatchObject({ state: 'cancelled' });
  expect(ends).toEqual([[running.id, 'cancelled']]);
});

it('a running job stops when another backend cancelled it or its row was deleted', async () => {
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

it('a job is taken again when its lease expires, and the result of the first backend no longer counts', async () => {
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

it('a job fails when its lease expires in its last allowed attempt', async () => {
  const job = await jobs().add(await account(), 'test', {});
  await run(job);
  await app.sql(`UPDATE jobs SET attempt = $2, lease_until = now() - interval '1 s' WHERE id = $1`, [
    job.id,
    MAX_ATTEMPTS,
  ]);
  expect(await ended(job)).toMatchObject({ state: 'failed', error_code: 'internal_error' });
  expect(ends).toContainEqual([job.id, 'failed']);
});

it('an account with many jobs never takes every slot, so another account’s job starts at once', async () => {
  const [busy, other] = [await account(), await account()];
  const [first] = await Promise.all([1, 2, 3, 4].map(n => jobs().add(busy, 'test', { n })));
  const job = await jobs().add(other, 'test', {});
  await run(job);
  const ofBusy = runs.filter(one => one.job.owner_id === busy);
  expect([first !== undefined, ofBusy.length]).toEqual([true, 1]);
});

it.each([
  ['stops', false],
  ['ignores it', true],
])('a job fails at its deadline and frees its slot, also if its code %s', async (_how, ignores) => {
  const owner = await account();
  const job = await jobs().add(owner, 'hasty', { ignores });
  const next = await jobs().add(owner, 'test', {});
  await run(job);
  expect(await ended(job)).toMatchObject({
    state: 'failed',
    error_code: 'service_unavailable',
    error_message: expect.stringContaining('took longer than'),
  });
  expect(ends).toEqual([[job.id, 'failed']]);
  await run(next);
});

it('a lease that was set while the clock was hours ahead does not hold a job back', async () => {
  const job = await jobs().add(await account(), 'test', {});
  await run(job);
  // The backend that has the job would renew the lease, so this one takes the job before that.
  await until(
    async () => {
      await app.sql(`UPDATE jobs SET lease_until = now() + interval '5 hours' WHERE id = $1`, [job.id]);
      app.part(JobRunnerService).flush();
      return runs.length;
    },
    count => count > 1,
  );
});

it('an account may have a limited number of open jobs, even with parallel calls', async () => {
  const owner = await account();
  const calls = Array.from({ length: MAX_OPEN_JOBS + 3 }, () => jobs().add(owner, 'test', {}));
  const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(3);
  expect(refused[0]).toMatchObject({ reason: { code: 'too_many_requests' } });
});

it('a job whose onEnd fails is not done, and is taken again', async () => {
  const job = await jobs().add(await account(), 'test', {});
  (await run(job)).finish('refused');
  // The lease ends, and the job is taken again.
  const again = await run(job, 2);
  expect(await get(job)).toMatchObject({ state: 'running', result: null });
  again.finish('fine');
  expect(await ended(job)).toMatchObject({ state: 'done', result: 'fine' });
});

it('a job that fails because of an outage of PostgreSQL is taken again', async () => {
  const job = await jobs().add(await account(), 'test', {});
  (await run(job)).fail(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
  const again = await run(job, 2);
  expect(await get(job)).toMatchObject({ state: 'running', error_code: null });
  again.finish('fine');
  expect(await ended(job)).toMatchObject({ state: 'done', result: 'fine' });
});

it('a backend that stops puts its jobs back into the queue, and jobs that were just cancelled end', async () => {
  const [job, cancelled] = await Promise.all([1, 2].map(async () => jobs().add(await account(), 'test', {})));
  if (!job || !cancelled) throw new Error('no jobs');
  await Promise.all([run(job), run(cancelled)]);
  await app.sql('UPDATE jobs SET cancel_requested = true WHERE id = $1', [cancelled.id]);
  await app.stop();
  expect(await app.sql('SELECT state, attempt FROM jobs WHERE id = $1', [job.id])).toEqual([
    { state: 'queued', attempt: 0 },
  ]);
  await app.start();
  registerKinds();
  expect(await ended(cancelled)).toMatchObject({ state: 'cancelled' });
  expect(ends).toContainEqual([cancelled.id, 'cancelled']);
  const again = await until(
    () => runs.filter(one => one.job.id === job.id)[1],
    found => found !== undefined,
  );
  again?.finish('done later');
  expect(await ended(job)).toMatchObject({ state: 'done', attempt: 1 });
});

it('old jobs are deleted in steps of at most 1,000 rows', async () => {
  const owner = await account();
  const job = await jobs().add(owner, 'test', {});
  (await run(job)).finish();
  await ended(job);
  await app.sql(
    `INSERT INTO jobs (id, owner_id, kind, params, state, ended_at)
     SELECT gen_random_uuid(), $1, 'test', '{}', 'done', now() - interval '8 days' FROM generate_series(1, 2500)`,
    [owner],
  );
  const steps = await stepsOfDeletes('jobs', () => app.part(JobRunnerService).deleteOld());
  expect(steps).toEqual([1_000, 1_000, 500]);
  expect(await get(job)).toBeDefined();
  await app.sql(`UPDATE jobs SET ended_at = now() - interval '8 days' WHERE id = $1`, [job.id]);
  await app.part(JobRunnerService).deleteOld();
  await expect(get(job)).rejects.toMatchObject({ code: 'not_found' });
  expect(await jobs().withoutRow([job.id])).toEqual([job.id]);
});

it('an account gets not_found for the jobs of another account', async () => {
  const job = await jobs().add(await account(), 'test', {});
  const other = await account();
  await expect(jobs().get(other, 'test', job.id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(jobs().cancel(other, 'test', job.id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(jobs().delete(other, 'test', job.id)).rejects.toMatchObject({ code: 'not_found' });
  expect(await get(job)).toBeDefined();
});
