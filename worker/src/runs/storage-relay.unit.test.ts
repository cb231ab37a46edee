import type { RunState, StorageMethod, StorageOperation } from '@trawl/contracts';
import { type Connection, FrameRefused } from '../platform/connection.js';
import { StorageRelay, WAIT_MS } from './storage-relay.js';
import { RunWaits } from './waits.js';

jest.mock('node:timers/promises', () => jest.requireActual('../../test/faked-timers-promises.js'));

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/**
 * Creates a relay to a stand-in for the platform, which gives these answers one after another and then repeats the last
 * one. `'lost'` means that there is no answer.
 */
function relayTo(...answers: (string | { result: Buffer })[]) {
  const sent: StorageOperation[] = [];
  const said: (string | null)[] = [];
  const over = new AbortController();
  const connection: Pick<Connection, 'deliver'> = {
    deliver: async (event, frame) => {
      if (event === 'state') {
        said.push((frame(0) as unknown as RunState).waiting_for);
        return {} as never;
      }
      for (let sendings = 0; ; sendings++) {
        sent.push((frame(sendings) as unknown as { op: StorageOperation }).op);
        const answer = answers[Math.min(sent.length, answers.length) - 1] ?? 'lost';
        if (answer === 'lost') continue;
        if (typeof answer === 'string') throw new FrameRefused(answer, 'words');
        return answer as never;
      }
    },
  };
  const waits = new RunWaits(connection as Connection, 'run', over.signal);
  const relay = new StorageRelay(connection as Connection, { id: 'run', token: 'token' }, waits, over.signal);
  const call = (method: StorageMethod) => relay.call({ collection: 'books', method }, Buffer.from('args'));
  return { sent, said, over, call };
}
const done = { result: Buffer.from('result') };
const away = 'storage_unavailable';

test.each([
  ['updateMany', [away, away, done], [false, false, false]],
  ['insertMany', [away, away, done], [false, true, true]],
  ['updateOne', ['lost', away, done], [false, true, true]],
] as const)(
  '%s waits for an unreachable database, and marks a call that may have been executed before',
  async (method, answers, resends) => {
    const { call, sent } = relayTo(...answers);
    const answer = call(method);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await answer).toEqual(done);
    expect(sent.map(({ resend }) => resend)).toEqual(resends);
  },
);

test('gives up on a database that stays unreachable', async () => {
  const { call } = relayTo(away);
  const answer = call('find');
  await jest.advanceTimersByTimeAsync(WAIT_MS + 1_000);
  expect(await answer).toMatchObject({ error: { code: away } });
});

test('reports that a run waits for storage while any of its calls does', async () => {
  const { call, said } = relayTo(away, away, away, done);
  const calls = [call('find'), call('updateMany')];
  await jest.advanceTimersByTimeAsync(0);
  expect(said).toEqual(['storage_down']);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(await Promise.all(calls)).toEqual([done, done]);
  expect(said).toEqual(['storage_down', null]);
  await call('find');
  expect(said).toHaveLength(2);
});

test('returns every other error at once', async () => {
  const { call, sent } = relayTo('storage_outcome_unknown', done);
  expect(await call('updateMany')).toMatchObject({ error: { code: 'storage_outcome_unknown' } });
  expect(sent).toHaveLength(1);
});

test('stops waiting when the run is over', async () => {
  const { call, over, sent } = relayTo(away);
  const answer = call('find');
  await jest.advanceTimersByTimeAsync(0);
  over.abort();
  expect(await answer).toBeNull();
  expect(sent).toHaveLength(1);
  expect(jest.getTimerCount()).toBe(0);
});
