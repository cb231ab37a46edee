import { BuildQueue } from './build-queue.js';

/** Waits until every build that can start has started. */
const allSettled = () => new Promise(resolve => setImmediate(resolve));

/** Builds that end when the test ends them. */
function manualBuilds(queue: BuildQueue) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (ownerId: string, name: string) =>
    queue.run(ownerId, () => {
      started.push(name);
      return new Promise<void>(resolve => ends.set(name, resolve));
    });
  return { started, add, end: (name: string) => ends.get(name)?.() };
}

test('many queued builds of one account do not delay the build of another account', async () => {
  const { started, add, end } = manualBuilds(new BuildQueue(2));
  const builds = ['a1', 'a2', 'a3'].map(name => add('a', name));
  builds.push(add('b', 'b1'));
  await allSettled();
  expect(started).toEqual(['a1', 'b1']);
  for (const name of ['a1', 'a2', 'a3', 'b1']) {
    end(name);
    await allSettled();
  }
  await Promise.all(builds);
  expect(started).toEqual(['a1', 'b1', 'a2', 'a3']);
});

test('a build is refused if its account’s queue is full, while other accounts can still build', async () => {
  const { started, add } = manualBuilds(new BuildQueue(2));
  for (let n = 0; n < 51; n += 1) void add('a', `a${n}`);
  await expect(add('a', 'one too many')).rejects.toMatchObject({ code: 'too_many_requests' });
  void add('b', 'b1');
  await allSettled();
  expect(started).toEqual(['a0', 'b1']);
});

test('running and waiting builds fail with service_unavailable when the build queue closes', async () => {
  const queue = new BuildQueue(1);
  const { add, end } = manualBuilds(queue);
  const running = add('a', 'a1');
  const waiting = add('b', 'b1');
  await allSettled();
  queue.close();
  end('a1');
  await expect(running).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(waiting).rejects.toMatchObject({ code: 'service_unavailable' });
});
