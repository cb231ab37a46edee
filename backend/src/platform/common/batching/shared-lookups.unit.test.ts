import { CoalescedLookups, MemoizedLookups } from './shared-lookups.js';

/** Creates lookups that stay in progress until the test completes them. */
function looks() {
  const begun: { end: (value: string) => void; fail: (error: Error) => void }[] = [];
  const look = () => new Promise<string>((end, fail) => begun.push({ end, fail }));
  return { begun, look };
}

const turn = () => new Promise(setImmediate);

describe('coalesced lookups', () => {
  test('start one new lookup for all callers who arrive while a lookup is in progress', async () => {
    const lookups = new CoalescedLookups();
    const { begun, look } = looks();
    const answers = [1, 2, 3].map(() => lookups.once('a', look));
    expect(begun).toHaveLength(1);
    begun[0]?.end('old');
    await turn();
    expect(begun).toHaveLength(2);
    begun[1]?.end('new');
    expect(await Promise.all(answers)).toEqual(['old', 'new', 'new']);
    void lookups.once('a', look);
    expect(begun).toHaveLength(3);
  });

  test('continue after a failed lookup, and do not wait for lookups of other keys', async () => {
    const lookups = new CoalescedLookups();
    const { begun, look } = looks();
    const failed = lookups.once('a', look);
    const next = lookups.once('a', look);
    void lookups.once('b', look);
    expect(begun).toHaveLength(2);
    begun[0]?.fail(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    await turn();
    begun[2]?.end('there');
    expect(await next).toBe('there');
  });
});

test('memoized lookups look each key up once', async () => {
  const lookups = new MemoizedLookups();
  const { begun, look } = looks();
  const first = lookups.once('a', look);
  await turn();
  begun[0]?.end('it');
  await first;
  expect(await lookups.once('a', look)).toBe('it');
  expect(begun).toHaveLength(1);
});

test('memoized lookups look up a limited number of keys at the same time', async () => {
  const lookups = new MemoizedLookups(1);
  const { begun, look } = looks();
  const [first, second] = [lookups.once('a', look), lookups.once('b', look)];
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]?.end('one');
  expect(await first).toBe('one');
  await turn();
  begun[1]?.end('other');
  expect(await second).toBe('other');
});
