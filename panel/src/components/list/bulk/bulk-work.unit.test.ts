import { each } from './bulk-work.js';

it('bulk work calls at most four at once, and returns the failures in the order of the items', async () => {
  let [running, most] = [0, 0];
  const work = each(async (item: number) => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    if (item % 3 === 0) throw new Error(`no ${item}`);
  });
  expect(await work([1, 2, 3, 4, 5, 6, 7])).toEqual([
    { item: 3, message: 'no 3' },
    { item: 6, message: 'no 6' },
  ]);
  expect(most).toBe(4);
});
