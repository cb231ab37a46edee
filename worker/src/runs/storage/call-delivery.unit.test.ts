import type { RunState } from '@trawl/contracts';
import { serialize } from 'bson';
import type { Connection } from '../../platform/connection.js';
import { FrameRefused } from '../../platform/frame-refused.js';
import { Redaction } from '../../redaction/redaction.js';
import { RunWaits } from '../waits.js';
import { CallDelivery, WAIT_MS } from './call-delivery.js';
import { PostgresRelay } from './postgres-relay.js';
import { RunWrites } from './run-writes.js';
import { StorageRelay } from './storage-relay.js';

jest.mock('node:timers/promises', () => jest.requireActual('../../../test/faked-timers-promises.js'));

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

interface Refusal {
  error: { code: string; message: string; sql_state?: string; position?: number };
}

/**
 * Creates relays to a stand-in for the platform, which gives these answers one after another and then repeats the last
 * one. `'lost'` means that there is no answer.
 */
function relaysTo(...answers: ('lost' | Refusal | { result: object })[]) {
  const resends: boolean[] = [];
  const said: (string | null)[] = [];
  const over = new AbortController();
  const connection: Pick<Connection, 'deliver'> = {
    deliver: async (event, frame) => {
      if (event === 'state') {
        said.push((frame(false) as unknown as RunState).waiting_for);
        return {} as never;
      }
      for (let isResend = false; ; isResend = true) {
        const sent = frame(isResend) as unknown as { op: { resend: boolean }; resend?: boolean };
        resends.push(sent.resend ?? sent.op.resend);
        const answer = answers[Math.min(resends.length, answers.length) - 1] ?? 'lost';
        if (answer === 'lost') continue;
        if ('error' in answer) throw new FrameRefused(answer.error);
        return answer as never;
      }
    },
  };
  const waits = new RunWaits(connection as Connection, 'run', over.signal);
  const delivery = new CallDelivery(connection as Connection, { id: 'run', token: 'token' }, waits, over.signal);
  const storage = new StorageRelay(delivery, new RunWrites(), new Redaction(null));
  const postgres = new PostgresRelay(delivery, new RunWrites());
  const call = (method: string) =>
    method === 'query'
      ? postgres.call({ method, text: 'SELECT 1', params: [] }, 50)
      : storage.call({ collection: 'books', method }, Buffer.from('args'));
  return { resends, said, over, call, postgres };
}
const done = { result: serialize({ inserted_count: 1 }) };
const refusal = (code: string, more: object = {}): Refusal => ({ error: { code, message: 'words', ...more } });
const away = refusal('storage_unavailable');

test.each([
  ['updateMany', [away, away, done], [false, false, false]],
  ['insertMany', [away, away, done], [false, true, true]],
  ['updateOne', ['lost', away, done], [false, true, true]],
  ['query', [away, away, done], [false, false, false]],
  ['query', ['lost', away, done], [false, true, true]],
] as const)(
  'the storage call %s waits for an unreachable database, and is marked if it may have been executed before',
  async (method, answers, expected) => {
    const { call, resends } = relaysTo(...answers);
    const answer = call(method);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await answer).toEqual(done);
    expect(resends).toEqual(expected);
  },
);

test.each(['find', 'query'])('the storage call %s fails if its database stays unreachable', async method => {
  const { call } = relaysTo(away);
  const answer = call(method);
  await jest.advanceTimersByTimeAsync(WAIT_MS + 1_000);
  expect(await answer).toEqual(away);
});

test('a run is reported as waiting for storage while any of its calls waits', async () => {
  const { call, said } = relaysTo(away, away, away, done);
  const calls = [call('find'), call('query')];
  await jest.advanceTimersByTimeAsync(0);
  expect(said).toEqual(['storage_down']);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(await Promise.all(calls)).toEqual([done, done]);
  expect(said).toEqual(['storage_down', null]);
  await call('find');
  expect(said).toHaveLength(2);
});

test('a storage call returns other errors than an outage at once, with the details of PostgreSQL', async () => {
  for (const [method, error, expected] of [
    ['updateMany', refusal('storage_outcome_unknown'), refusal('storage_outcome_unknown')],
    ['query', refusal('unknown_run'), refusal('run_ended')],
    [
      'query',
      refusal('storage_rejected', { sql_state: '42703', position: 8 }),
      refusal('storage_rejected', { sql_state: '42703', position: 8 }),
    ],
  ] as const) {
    const { call, resends } = relaysTo(error, done);
    expect(await call(method)).toEqual(expected);
    expect(resends).toHaveLength(1);
  }
});

test('a storage call stops waiting for an unreachable database when its run is over', async () => {
  const { call, over, resends } = relaysTo(away);
  const answer = call('find');
  await jest.advanceTimersByTimeAsync(0);
  over.abort();
  expect(await answer).toBeNull();
  expect(resends).toHaveLength(1);
  expect(jest.getTimerCount()).toBe(0);
});

test('the worker refuses invalid PostgreSQL calls itself, without sending them to the platform', async () => {
  const { postgres, resends } = relaysTo(done);
  const query = { method: 'query', text: 'SELECT 1', params: [] };
  for (const call of [null, { method: 'drop' }, { ...query, more: 1 }, { ...query, params: [1] }]) {
    expect(await postgres.call(call, 50)).toMatchObject({ error: { code: 'storage_rejected' } });
  }
  const large = { ...query, params: ['x'.repeat(1024 * 1024)] };
  expect(await postgres.call(large, JSON.stringify(large).length)).toMatchObject({
    error: { code: 'storage_too_large' },
  });
  expect(resends).toEqual([]);
});
