import { WriteBatcher } from './write-batcher.js';

test('the write batcher writes the first item at once, and items that arrive during that write together', async () => {
  const writes: number[][] = [];
  const batcher = new WriteBatcher(async (items: number[]) => {
    writes.push(items);
    await new Promise(setImmediate);
    return items.map(item => item * 10);
  });
  expect(await Promise.all([1, 2, 3].map(item => batcher.add(item)))).toEqual([10, 20, 30]);
  expect(writes).toEqual([[1], [2, 3]]);
});

test('the write batcher rejects the items of a failed write, and no others', async () => {
  const batcher = new WriteBatcher(async ([first]: number[]) => {
    if (first === 1) throw new Error('disk full');
    return [first];
  });
  const results = await Promise.allSettled([batcher.add(1), batcher.add(2)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

test('the write batcher is idle for the caller whose write was the last', async () => {
  const batcher = new WriteBatcher(async (items: number[]) => items);
  const first = batcher.add(1).then(() => batcher.isIdle);
  const second = batcher.add(2).then(() => batcher.isIdle);
  expect(await Promise.all([first, second])).toEqual([false, true]);
});
