import type { NestExpressApplication } from '@nestjs/platform-express';
import { SchedulerRegistry } from '@nestjs/schedule';
import { pino } from 'pino';
import { appForFile } from '../../../test/test-app.js';
import { until } from '../../../test/until.js';
import { createApp } from '../../app.js';
import { Backends } from '../database/backends.service.js';
import { JobKinds } from './job-kinds.service.js';
import { JobRunnerService } from './job-runner.service.js';

const { app } = appForFile({ settings: { leaseMs: 2_000 } });

/** The other backend, which runs the same kinds. */
let second: NestExpressApplication;
/** The attempts in the order in which they began: kind, parameter and attempt. */
let began: string[];
let running: Map<string, number>;
let mostInLane: number;
let fails: (attempt: number) => boolean;
/** Functions that end the running jobs of the kind `held`. */
let held: (() => void)[];

function register(kinds: JobKinds): void {
  kinds.registerPlatform<{ n: number }>('quick', {
    deadlineMs: 60_000,
    perLane: 1,
    retrySeconds: () => 0,
    run: async ({ params, attempt }) => {
      began.push(`${params.n}.${attempt}`);
      const lane = String(params.n % 2);
      running.set(lane, (running.get(lane) ?? 0) + 1);
      mostInLane = Math.max(mostInLane, running.get(lane) as number);
      await app.sql('SELECT 1');
      running.set(lane, (running.get(lane) as number) - 1);
      if (fails(attempt)) throw new Error('not yet');
    },
  });
  kinds.registerPlatform<{ n: number }>('held', {
    deadlineMs: 60_000,
    perLane: 2,
    retrySeconds: () => 3_600,
    run: ({ params, attempt }, { signal }) =>
      new Promise<void>((resolve, reject) => {
        began.push(`${params.n}.${attempt}`);
        held.push(resolve);
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      }),
  });
}

beforeAll(async () => {
  second = await createApp(app.config, pino({ level: 'silent' }));
  await second.listen(0, '127.0.0.1');
  register(app.part(JobKinds));
  register(second.get(JobKinds, { strict: false }));
  await app.part(Backends).beat();
  await second.get(Backends, { strict: false }).beat();
});
afterAll(() => second?.close());
beforeEach(() => {
  began = [];
  held = [];
  running = new Map();
  mostInLane = 0;
  fails = () => false;
});
afterEach(async () => {
  for (const end of held) end();
  await app.sql('DELETE FROM jobs');
});

const add = (kind: string, count: number, runAt = 'now()') =>
  app.sql(
    `INSERT INTO jobs (kind, params, lane, run_at)
     SELECT $1, json_build_object('n', n), (n % 2)::text, ${runAt} FROM generate_series(1, $2::int) AS n`,
    [kind, count],
  );
const flushBoth = () => {
  for (const runner of [app.part(JobRunnerService), second.get(JobRunnerService, { strict: false })]) runner.flush();
};
const allDone = () =>
  until(
    () => app.sql('SELECT 1 FROM jobs'),
    rows => rows.length === 0,
  );

it('two backends run each platform job once, and each runs only one job of a lane at a time', async () => {
  await add('quick', 60);
  flushBoth();
  await allDone();
  expect(began.map(one => Number.parseInt(one, 10)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 60 }, (_, n) => n + 1),
  );
  // Two backends that take jobs at the same moment may exceed the limit by one.
  expect(mostInLane).toBeLessThanOrEqual(2);
});

it('a platform job that fails is retried until it succeeds', async () => {
  fails = attempt => attempt < 3;
  await add('quick', 1);
  flushBoth();
  await allDone();
  expect(began).toEqual(['1.1', '1.2', '1.3']);
});

it('a platform job waits for its next attempt, unless that is further ahead than any delay allows', async () => {
  await add('held', 1, `now() + interval '1 hour'`);
  await add('quick', 1);
  flushBoth();
  await until(
    () => app.sql(`SELECT FROM jobs WHERE kind = 'quick'`),
    rows => rows.length === 0,
  );
  expect(began).toEqual(['1.1']);
  expect(await app.sql('SELECT kind, attempt FROM jobs')).toEqual([{ kind: 'held', attempt: 0 }]);
  await app.sql(`UPDATE jobs SET run_at = now() + interval '2 days'`);
  await until(
    () => held,
    waits => waits.length > 0,
  );
});

it('a platform job is taken again when its lease expires, and the first attempt’s end no longer counts', async () => {
  await add('held', 1);
  flushBoth();
  const [first] = await until(
    () => held,
    waits => waits.length === 1,
  );
  await app.sql(`UPDATE jobs SET lease_until = now() - interval '1 s'`);
  flushBoth();
  const [, again] = await until(
    () => held,
    waits => waits.length === 2,
  );
  first?.();
  expect(began).toEqual(['1.1', '1.2']);
  expect(await app.sql('SELECT state, attempt FROM jobs')).toEqual([{ state: 'running', attempt: 2 }]);
  again?.();
  await allDone();
});

it('platform jobs have their own limit on a backend, and leave the slots of accounts free', async () => {
  await add('held', 12);
  flushBoth();
  // Two lanes with two each.
  await until(
    () => held,
    waits => waits.length >= 4,
  );
  const [user] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
  app.part(JobKinds).register('mine', { deadlineMs: 60_000, run: async () => 'done' });
  second.get(JobKinds, { strict: false }).register('mine', { deadlineMs: 60_000, run: async () => 'done' });
  await app.sql(`INSERT INTO jobs (kind, params, owner_id) VALUES ('mine', '{}', $1)`, [user?.id]);
  await until(
    () => app.sql(`SELECT 1 FROM jobs WHERE kind = 'mine' AND state = 'done'`),
    rows => rows.length === 1,
  );
});

it('a backend is notified of an account’s job that another backend added, without a timer', async () => {
  for (const registry of [app.part(SchedulerRegistry), second.get(SchedulerRegistry, { strict: false })]) {
    for (const name of registry.getIntervals()) registry.deleteInterval(name);
  }
  await app.part(Backends).beat();
  const [user] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
  await app.sql(`INSERT INTO jobs (kind, params, owner_id) VALUES ('mine', '{}', $1)`, [user?.id]);
  await until(
    () => app.sql(`SELECT 1 FROM jobs WHERE kind = 'mine' AND state = 'done'`),
    rows => rows.length === 1,
  );
});
