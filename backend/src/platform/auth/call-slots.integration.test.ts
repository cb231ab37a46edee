import { once } from 'node:events';
import { connect } from 'node:net';
import { DataSource } from 'typeorm';
import { type Answer, type Api, appForFile } from '../../../test/test-app.js';
import { fleetForEachTest } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';

const CALLS_AT_ONCE = 2;

const { app, developer } = appForFile({ settings: { callsAtOnce: CALLS_AT_ONCE } });
const fleet = fleetForEachTest(app);

/** Keeps the calls that `begin` makes from reading the skripts, with a lock, until `meanwhile` has ended. */
async function whileLocked(begin: () => void, meanwhile: () => Promise<void>) {
  await app.part(DataSource).transaction(async manager => {
    await manager.query('LOCK TABLE skripts IN ACCESS EXCLUSIVE MODE');
    begin();
    await until(
      () =>
        app.sql<{ n: number }>(
          `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        ),
      ([row]) => (row?.n ?? 0) >= CALLS_AT_ONCE,
    );
    await meanwhile();
  });
}

/** Makes calls that cannot end before `meanwhile` has ended. */
async function whileCallsHang(api: Api, count: number, meanwhile: (answered: () => number) => Promise<void>) {
  let answered = 0;
  const calls: Promise<Answer>[] = [];
  const begin = () => {
    for (let n = 0; n < count; n += 1) {
      const call = api('GET', '/joint-api/skripts/list').finally(() => {
        answered += 1;
      });
      calls.push(call);
    }
  };
  await whileLocked(begin, () => meanwhile(() => answered));
  return Promise.all(calls);
}

it('calls over an account’s concurrency limit wait, and calls of other accounts are answered at once', async () => {
  const admin = await app.as('admin');
  let other: Promise<{ status: number }> | undefined;
  let isOtherAnswered = false;
  const answers = await whileCallsHang(developer, 3, async answered => {
    other = developer('GET', '/joint-api/keys/list').finally(() => {
      isOtherAnswered = true;
    });
    for (let n = 0; n < 5; n += 1) expect((await admin('GET', '/joint-api/keys/list')).status).toBe(200);
    expect([answered(), isOtherAnswered]).toEqual([0, false]);
  });
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await other)?.status).toBe(200);
});

it('a call is refused with 429 and Retry-After when its account’s queue of calls is full', async () => {
  const answers = await whileCallsHang(developer, CALLS_AT_ONCE + 201, async answered => {
    await until(answered, count => count === 1);
  });
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toMatchObject([
    {
      status: 429,
      body: { error_code: 'too_many_requests', error_message: expect.stringContaining(`${CALLS_AT_ONCE} calls`) },
    },
  ]);
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
});

it('when a client disconnects, the slots of the calls that it sent without waiting become free', async () => {
  const request = `GET /joint-api/skripts/list HTTP/1.1\r\nhost: trawl\r\nauthorization: Bearer ${await app.token('developer')}\r\n\r\n`;
  const { hostname, port } = new URL(app.url);
  // Several rounds, because one slot that is kept does not stop the calls below.
  for (let round = 0; round < CALLS_AT_ONCE; round += 1) {
    const socket = connect(Number(port), hostname);
    await whileLocked(
      () => socket.write(request.repeat(2 * CALLS_AT_ONCE)),
      async () => {
        socket.destroy();
        await once(socket, 'close');
      },
    );
  }
  const calls = Array.from({ length: CALLS_AT_ONCE }, () => developer('GET', '/joint-api/keys/list'));
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
});

it('calls that wait for the end of a run and live logs do not count towards the concurrency limit', async () => {
  const starts = Array.from({ length: CALLS_AT_ONCE }, (_, n) => fleet.start({ input: n }, 'wait_ms=600000'));
  await until(
    () => app.sql<{ id: string }>('SELECT execution_id AS id FROM live_runs'),
    runs => runs.length === CALLS_AT_ONCE,
  );
  const [run] = await app.sql<{ id: string }>('SELECT execution_id AS id FROM live_runs');
  const headers = { authorization: `Bearer ${await app.token('developer')}` };
  const logs = await Promise.all(
    Array.from({ length: CALLS_AT_ONCE }, () => fetch(`${app.url}/joint-api/echoes/${run?.id}/stream`, { headers })),
  );
  expect((await developer('GET', '/joint-api/keys/list')).status).toBe(200);
  await developer('GET', `/joint-api/execute-skript/single-worker/stop?skript_id=${fleet.skriptId}`);
  expect((await Promise.all(starts)).map(({ status }) => status)).toEqual([200, 200]);
  for (const log of logs) await log.body?.cancel();
});
