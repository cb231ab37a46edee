import { Logger } from '@nestjs/common';
import { ApiError } from '../../../platform/common/errors.js';
import { Contention } from '../../../platform/common/shares/contention.service.js';
import { StorageFailure } from '../mongodb/storage-failures.js';
import { RunCalls } from './run-calls.js';

const answerTo = (error: unknown) =>
  new RunCalls('calls', { isNow: () => false, record: () => {} } as unknown as Contention).answer('owner', () =>
    Promise.reject(error),
  );

test.each([
  ['a failure', new StorageFailure('storage_too_large', 'Too large.'), 'storage_too_large', 'Too large.'],
  ['a full queue of calls', new ApiError('too_many_requests', 'Wait.'), 'storage_unavailable', 'Wait.'],
  ['a reached quota', new ApiError('quota_exceeded', 'Delete one.'), 'storage_full', 'Delete one.'],
  ['a reached quota in bytes', new ApiError('payload_too_large', 'Delete rows.'), 'storage_full', 'Delete rows.'],
  ['a refused call', new ApiError('validation_failed', 'Wrong.'), 'storage_rejected', 'Wrong.'],
  ['a deadlock', Object.assign(new Error('deadlock'), { code: '40P01' }), 'storage_unavailable', expect.any(String)],
])('answers %s with its code and a message', async (_, error, code, message) => {
  await expect(answerTo(error)).resolves.toEqual({ error: { code, message } });
});

test('hides an unexpected error from the run, logs it, and frees the slot', async () => {
  const log = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  const calls = new RunCalls('calls', { isNow: () => false, record: () => {} } as unknown as Contention);
  for (let i = 0; i < 10; i++) {
    const { error } = (await calls.answer('owner', () => Promise.reject(new Error('column x')))) as { error: object };
    expect(error).toEqual({ code: 'storage_rejected', message: expect.not.stringContaining('column') });
  }
  expect(log).toHaveBeenCalledTimes(10);
  log.mockRestore();
});
