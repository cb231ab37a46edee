import { Contention } from './contention.service.js';

async function* parts() {
  yield 'part 1';
  yield 'part 2';
}

/** Works on the parts while something else waits for the event loop. Returns the order of both. */
async function orderOf(contention: Contention): Promise<string[]> {
  const order: string[] = [];
  const other = new Promise<void>(resolve => {
    setTimeout(() => {
      order.push('other');
      resolve();
    }, 0);
  });
  for await (const part of contention.paced('one', parts())) order.push(part);
  await other;
  return order;
}

test('a long task pauses after each part while accounts compete', async () => {
  const contention = new Contention();
  jest.spyOn(contention, 'isNow').mockReturnValue(true);
  expect(await orderOf(contention)).toEqual(['part 1', 'other', 'part 2']);
});

test('a long task of the only active account never pauses', async () => {
  expect(await orderOf(new Contention())).toEqual(['part 1', 'part 2', 'other']);
});

test('each part of a long task counts as activity of its account', async () => {
  const contention = new Contention();
  const record = jest.spyOn(contention, 'record');
  await orderOf(contention);
  expect(record.mock.calls).toEqual([['one'], ['one']]);
});
