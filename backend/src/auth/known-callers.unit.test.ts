import type { SessionUser } from './current-user.js';
import { KnownCallers } from './known-callers.js';
import { TryCounter } from './try-counter.js';

const userOf = (id: string): SessionUser => ({
  id,
  username: id,
  role: 'developer',
  built_in: false,
  session_id: `session of ${id}`,
  key: null,
});
const found = (id: string) => async () => ({ user: userOf(id), expiresAtMs: Number.POSITIVE_INFINITY });
const always = () => true;

describe('known callers', () => {
  it('are bounded: the one that came first goes first', async () => {
    const known = new KnownCallers(2);
    for (const id of ['a', 'b', 'c']) await known.ask(id, found(id), always);
    expect([known.size, known.get('a'), known.get('c')?.id]).toEqual([2, null, 'c']);
    known.forget('a');
    known.forget('c');
    expect(known.size).toBe(1);
  });

  it('are not kept when something was forgotten while they were asked for', async () => {
    const known = new KnownCallers();
    const asked = await known.ask(
      'token',
      async () => {
        known.forget('a');
        return found('a')();
      },
      always,
    );
    expect([asked?.id, known.get('token')]).toEqual(['a', null]);
  });

  it('are not kept when changes are not heard of', async () => {
    const known = new KnownCallers();
    await known.ask('token', found('a'), () => false);
    expect(known.get('token')).toBeNull();
  });
});

describe('a counter of tries', () => {
  it('is bounded', () => {
    const counter = new TryCounter(1, 1_000, 3);
    for (const key of ['a', 'b', 'c', 'd', 'e']) counter.take(key);
    expect(counter.size).toBeLessThanOrEqual(3);
    expect(counter.take('e')).toBeGreaterThan(0);
  });
});
