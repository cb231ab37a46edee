import { LibraryShares } from './library-shares.js';

const LIMITS = { bytes: 100, entries: 1_000 };
let shares: LibraryShares;
let clock: number;

beforeEach(() => {
  shares = new LibraryShares(LIMITS);
  clock = 0;
});

/** Installs a lock for an account as the worker does; returns which locks were removed for it. */
function install(hash: string, account: string, bytes: number, entries = 1): string[] | string {
  const { removed, full } = shares.makeRoom(account, { bytes, entries });
  if (full) return full;
  clock += 1;
  shares.add(hash, { bytes, entries, accounts: new Map([[account, clock]]) });
  return removed;
}

test('an account that installs libraries without end evicts only its own locks', () => {
  install('theirs', 'neighbour', 20);
  for (let n = 0; n < 50; n += 1) install(`lock ${n}`, 'attacker', 30);
  expect(shares.get('theirs')).toBeDefined();
  expect(['lock 47', 'lock 48', 'lock 49'].map(hash => shares.get(hash) !== undefined)).toEqual([false, true, true]);
});

test('when the space is full, the account that uses most of it loses its oldest lock to a smaller account', () => {
  for (const hash of ['a', 'b', 'c']) install(hash, 'large', 30);
  expect(install('small', 'other', 20)).toEqual(['a']);
});

test('the space for libraries is limited in files as well as in bytes', () => {
  for (const hash of ['a', 'b', 'c']) install(hash, 'large', 1, 300);
  expect(install('small', 'other', 1, 200)).toEqual(['a']);
});

test('a lock that a live run uses is never evicted; the error says whether the account’s own runs fill the space', () => {
  install('a', 'one', 45);
  install('b', 'two', 45);
  const ends = [shares.use('a', 'one'), shares.use('b', 'two')];
  expect(install('c', 'one', 10)).toBe('account');
  expect(install('c', 'three', 30)).toBe('others');
  for (const end of ends) end();
  expect(install('c', 'three', 30)).toEqual(['a']);
});

test('a lock that several accounts use counts in part for each, and is evicted after locks of one account', () => {
  install('shared', 'one', 40);
  shares.use('shared', 'two')();
  install('own', 'one', 50);
  expect(install('new', 'two', 20)).toEqual(['own']);
  // A lock that only one account uses is removed before one that others use, too.
  expect(install('more', 'two', 50)).toEqual(['new']);
  expect([...(shares.get('shared')?.accounts.keys() ?? [])]).toEqual(['one', 'two']);
});

test('locks that an earlier version of the worker installed, without accounts, are evicted first', () => {
  shares.add('old', { bytes: 50, entries: 1, accounts: new Map() });
  install('a', 'one', 50);
  expect(install('b', 'one', 20)).toEqual(['old']);
});
