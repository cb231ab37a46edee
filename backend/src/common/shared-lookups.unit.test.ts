import { LookupsInTurn, LookupsOnce } from './shared-lookups.js';

/** Looks that end when the test says so. */
function looks() {
  const begun: { end: (value: string) => void; fail: (error: Error) => void }[] = [];
  const look = () => new Promise<string>((end, fail) => begun.push({ end, fail }));
  return { begun, look };
}

const turn = () => new Promise(setImmediate);

describe('lookups in turn', () => {
  test('give those who ask meanwhile one look that begins after they asked', async () => {
    const lookups = new LookupsInTurn();
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

  test('go on after a look that failed, and do not mix what is asked for', async () => {
    const lookups = new LookupsInTurn();
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

test('lookups of one piece of work are done once', async () => {
  const lookups = new LookupsOnce();
  const { begun, look } = looks();
  const first = lookups.once('a', look);
  begun[0]?.end('it');
  await first;
  expect(await lookups.once('a', look)).toBe('it');
  expect(begun).toHaveLength(1);
});
