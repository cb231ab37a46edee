import { ResolutionQueue } from './resolution-queue.js';

const never = () => new Promise<never>(() => {});
/** Adds a resolution that does not end. Returns what ends it. */
function add(queue: ResolutionQueue, ownerId: string, started: string[] = []) {
  const abort = new AbortController();
  const resolve = async () => {
    started.push(ownerId);
    return never();
  };
  const result = queue.run(ownerId, resolve, abort, () => {});
  result.catch(() => {});
  return { abort, result };
}

test('a library resolution is refused if its account’s queue is full, while other accounts can still resolve', async () => {
  const queue = new ResolutionQueue();
  for (let n = 0; n < 51; n += 1) add(queue, 'a');
  await expect(add(queue, 'a').result).rejects.toMatchObject({ code: 'too_many_requests' });
  const started: string[] = [];
  add(queue, 'b', started);
  await new Promise(setImmediate);
  expect(started).toEqual(['b']);
});

test('a library resolution is refused if all accounts together have too many', async () => {
  const queue = new ResolutionQueue();
  for (let n = 0; n < 100; n += 1) add(queue, `account ${n}`);
  await expect(add(queue, 'another').result).rejects.toMatchObject({ code: 'service_unavailable' });
});

test('an aborted library resolution leaves the queue', async () => {
  const queue = new ResolutionQueue();
  const started: string[] = [];
  add(queue, 'a', started);
  for (let n = 0; n < 50; n += 1) {
    const { abort, result } = add(queue, 'a', started);
    abort.abort(new Error('unwanted'));
    await expect(result).rejects.toThrow('unwanted');
  }
  add(queue, 'a', started);
  await new Promise(setImmediate);
  expect(started).toEqual(['a']);
});
