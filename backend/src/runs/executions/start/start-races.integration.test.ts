import { QUOTAS } from '@trawl/contracts';
import { appForFile } from '../../../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet } from '../../../../test/test-worker.js';

const RACES = isFullTest ? 1_000 : 30;
/**
 * Number of concurrent pairs of starts: enough to cause races, but so few that no start waits for a free database
 * connection.
 */
const AT_ONCE = 10;
const START = '/joint-api/execute-skript/single-worker/start?wait_ms=0';

// 0 is unlimited.
const { app, developer } = appForFile({ settings: { quotas: { ...QUOTAS, runs_at_once: 0 } } });
let fleet: TestFleet;

beforeAll(async () => {
  fleet = await makeWorkerAndSkript(app, 'races');
});

async function race(name: string, headers: (n: number) => Record<string, string>) {
  const outcomes: { statuses: number[]; ids: string[] }[] = [];
  for (let done = 0; done < RACES; done += AT_ONCE) {
    const pairs = Array.from({ length: AT_ONCE }, async (_, i) => {
      const n = done + i;
      const body = { worker_id: fleet.workerId, skript_id: fleet.skriptId, input: `${name} ${n}` };
      const two = await Promise.all([1, 2].map(() => developer('POST', START, body, headers(n))));
      return {
        statuses: two.map(({ status }) => status).sort(),
        ids: two.map(({ body: answer }) => answer.id ?? answer.details?.execution_id),
      };
    });
    outcomes.push(...(await Promise.all(pairs)));
    // Remove old live runs. Each start counts the account's live runs, so they would slow down the test.
    await app.sql('DELETE FROM live_runs');
  }
  return outcomes;
}

const runsOf = async (from: Date) =>
  (await app.sql<{ n: number }>('SELECT count(*)::int AS n FROM executions WHERE created_at >= $1', [from]))[0]?.n;

it('of two concurrent starts of the same run, exactly one makes a run (soak test)', async () => {
  const [{ now: from }] = (await app.sql<{ now: Date }>('SELECT now()')) as [{ now: Date }];
  const outcomes = await race('plain', () => ({}));
  for (const { statuses, ids } of outcomes) {
    expect(statuses).toEqual([202, 409]);
    expect(ids[0]).toBe(ids[1]);
  }
  expect(await runsOf(from)).toBe(RACES);
});

it('two concurrent starts with the same Idempotency-Key get the same run (soak test)', async () => {
  const [{ now: from }] = (await app.sql<{ now: Date }>('SELECT now()')) as [{ now: Date }];
  const outcomes = await race('keyed', n => ({ 'idempotency-key': `race-${n}` }));
  for (const { statuses, ids } of outcomes) {
    expect(statuses).toEqual([202, 202]);
    expect(ids[0]).toBe(ids[1]);
  }
  expect(await runsOf(from)).toBe(RACES);
});
