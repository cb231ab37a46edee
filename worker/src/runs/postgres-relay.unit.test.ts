import type { PostgresFrame } from '@trawl/contracts';
import type { Connection } from '../platform/connection.js';
import { PostgresRelay } from './postgres-relay.js';
import { WAIT_MS } from './storage-relay.js';
import { RunWaits } from './waits.js';

jest.mock('node:timers/promises', () => jest.requireActual('../../test/faked-timers-promises.js'));

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const away = { error: { code: 'storage_unavailable', message: 'away' } };
const done = { result: {} };

/** Creates a relay to a stand-in for the platform, which repeats its last answer. `'lost'` means that there is none. */
function relayTo(...answers: ('lost' | typeof away | typeof done)[]) {
  const resends: boolean[] = [];
  const connection: Pick<Connection, 'deliver'> = {
    deliver: async (event, frame) => {
      if (event === 'state') return {} as never;
      for (let sendings = 0; ; sendings++) {
        resends.push((frame(sendings) as unknown as PostgresFrame).resend);
        const answer = answers[Math.min(resends.length, answers.length) - 1] ?? 'lost';
        if (answer !== 'lost') return answer as never;
      }
    },
  };
  const over = new AbortController().signal;
  const waits = new RunWaits(connection as Connection, 'run', over);
  const relay = new PostgresRelay(connection as Connection, { id: 'run', token: 'token' }, waits, over);
  return { resends, relay };
}
const query = { method: 'query', text: 'SELECT 1', params: [] };

test('waits for an unreachable PostgreSQL, and marks a call that may have been executed before', async () => {
  for (const [answers, expected] of [
    [
      [away, away, done],
      [false, false, false],
    ],
    [
      ['lost', away, done],
      [false, true, true],
    ],
  ] as const) {
    const { relay, resends } = relayTo(...answers);
    const answer = relay.call(query);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await answer).toEqual(done);
    expect(resends).toEqual(expected);
  }
});

test('gives up on a PostgreSQL that stays unreachable', async () => {
  const { relay } = relayTo(away);
  const answer = relay.call(query);
  await jest.advanceTimersByTimeAsync(WAIT_MS + 1_000);
  expect(await answer).toEqual(away);
});

test('refuses what the platform would refuse', async () => {
  const { relay, resends } = relayTo(done);
  for (const call of [null, { method: 'drop' }, { ...query, more: 1 }, { ...query, params: [1] }]) {
    expect(await relay.call(call)).toMatchObject({ error: { code: 'storage_rejected' } });
  }
  const large = { ...query, params: ['x'.repeat(1024 * 1024)] };
  expect(await relay.call(large)).toMatchObject({ error: { code: 'storage_too_large' } });
  expect(resends).toEqual([]);
});
