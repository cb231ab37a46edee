import type { SessionUser } from '../current-user.js';
import { TokenCache } from './token-cache.js';

const userOf = (id: string): SessionUser => ({
  id,
  username: id,
  role: 'developer',
  built_in: false,
  session_id: `session of ${id}`,
  key: null,
});
const ownerIs = (id: string) => async () => ({ user: userOf(id), expiresAtMs: Number.POSITIVE_INFINITY });
const always = () => true;

describe('the token cache', () => {
  it('drops the oldest token when it is full', async () => {
    const cache = new TokenCache(2);
    for (const id of ['a', 'b', 'c']) await cache.load(id, ownerIs(id), always);
    expect([cache.size, cache.get('a'), cache.get('c')?.id]).toEqual([2, null, 'c']);
    cache.invalidateUser('a');
    cache.invalidateUser('c');
    expect(cache.size).toBe(1);
  });

  it('does not keep the result of a lookup during which the user’s tokens were invalidated', async () => {
    const cache = new TokenCache();
    const user = await cache.load(
      'token',
      async () => {
        cache.invalidateUser('a');
        return ownerIs('a')();
      },
      always,
    );
    expect([user?.id, cache.get('token')]).toEqual(['a', null]);
  });

  it('keeps no token while change notifications are not delivered', async () => {
    const cache = new TokenCache();
    await cache.load('token', ownerIs('a'), () => false);
    expect(cache.get('token')).toBeNull();
  });
});
