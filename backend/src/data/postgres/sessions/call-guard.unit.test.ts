import { PassThrough } from 'node:stream';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import { CallGuard } from './call-guard.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('the guard of a SQL call checks the growth of storage again only after its last check has ended', async () => {
  const answers: ((failure: StorageFailure | null) => void)[] = [];
  const interrupts: string[] = [];
  const check = () => new Promise<StorageFailure | null>(resolve => answers.push(resolve));
  const interrupt = async (how: string) => {
    interrupts.push(how);
    return null;
  };
  const guard = new CallGuard(new PassThrough(), interrupt, { timeMs: 30_000, check });
  await jest.advanceTimersByTimeAsync(5_500);
  expect(answers).toHaveLength(1);
  answers[0]?.(null);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(answers).toHaveLength(2);
  answers[1]?.(new StorageFailure('storage_full', 'full'));
  await jest.advanceTimersByTimeAsync(0);
  expect(interrupts).toEqual(['cancel']);
  expect(guard.failure?.code).toBe('storage_full');
  await guard.end();
});
