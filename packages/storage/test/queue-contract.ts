import { randomUUID } from 'node:crypto';
import { type Queue, type QueueRequest, queue } from '../src/index.js';

/** Describes what skripts may rely on, whether their calls on queues reach the platform or local files. */
export function describeQueues(): void {
  let pages: Queue;
  beforeEach(() => {
    pages = queue(`q-${randomUUID()}`);
  });

  const page = (number: number): string => `https://shop.example/page?n=${number}`;
  const take = async (from: Queue = pages): Promise<string[]> => {
    const urls: string[] = [];
    for await (const request of from.take()) {
      urls.push(request.url);
      await from.done(request);
    }
    return urls;
  };
  const failure = (call: Promise<unknown>): Promise<{ name: string; code?: string; message: string }> =>
    call.then(
      () => ({ name: 'none', message: '' }),
      ({ name, code, message }) => ({ name, code, message }),
    );

  test('a queue gives out each page once, in the order in which they were added', async () => {
    expect(await pages.add([page(1), page(2), page(1)])).toEqual({ added: 2, known: 1 });
    expect(await pages.add(page(3))).toEqual({ added: 1, known: 0 });
    expect(await take()).toEqual([page(1), page(2), page(3)]);
    expect(await pages.add([page(2), page(4)])).toEqual({ added: 1, known: 1 });
    expect(await take()).toEqual([page(4)]);
  });

  test('new pages among known and repeated ones keep their userData', async () => {
    await pages.add([page(1), page(4)]);
    const added = [1, 2, 4, 3, 2].map((n, index) => ({ url: page(n), userData: index }));
    expect((await pages.addEach(added)).map(({ state }) => state)).toEqual([
      'known',
      'added',
      'known',
      'added',
      'known',
    ]);
    const found: [string, unknown][] = [];
    for await (const request of pages.take()) {
      found.push([request.url, request.userData]);
      await pages.done(request);
    }
    expect(found).toEqual([
      [page(1), null],
      [page(4), null],
      [page(2), 1],
      [page(3), 3],
    ]);
  });

  test('an empty queue, and one that nobody has filled, give out nothing', async () => {
    expect(await take()).toEqual([]);
    expect(await pages.add([])).toEqual({ added: 0, known: 0 });
  });

  test('two addresses are the same page if only the fragment or the order of parameters differs', async () => {
    const same = ['https://Shop.example:443/a?x=1&y=2#top', 'https://shop.example/a?y=2&x=1'];
    expect(await pages.add(same)).toEqual({ added: 1, known: 1 });
    expect(await pages.add([{ url: 'https://shop.example/a?y=2&x=1', uniqueKey: 'again' }])).toEqual({
      added: 1,
      known: 0,
    });
    expect(await take()).toEqual(['https://shop.example/a?x=1&y=2#top', 'https://shop.example/a?y=2&x=1']);
  });

  test('a request has its userData as it was added', async () => {
    const userData = {
      label: 'DETAIL',
      text: 'ä\u0000"\ud800',
      list: [1, null, { a: true }],
      ...JSON.parse('{ "__proto__": { "polluted": true }, "constructor": { "prototype": {} } }'),
    };
    await pages.add([{ url: page(1), userData }, page(2)]);
    const found: unknown[] = [];
    for await (const request of pages.take()) {
      found.push(request.userData);
      await pages.done(request);
    }
    expect(found).toEqual([userData, null]);
    expect(JSON.stringify(found[0])).toBe(JSON.stringify(userData));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('a key or a name may have a name of an object of JavaScript', async () => {
    const keys = ['__proto__', 'constructor', 'toString'];
    expect(await pages.add(keys.map(uniqueKey => ({ url: page(1), uniqueKey })))).toEqual({ added: 3, known: 0 });
    expect(await pages.add([{ url: page(2), uniqueKey: '__proto__' }])).toEqual({ added: 0, known: 1 });
    await expect((async () => queue('__proto__').add(page(1)))()).rejects.toMatchObject({ code: 'storage_rejected' });
    await expect((async () => queue('constructor').add(page(1)))()).resolves.toMatchObject({ added: 1 });
    await queue('constructor').drop();
  });

  test('requests of a higher priority come first, then those at the front', async () => {
    await pages.add([page(1), page(2)]);
    await pages.add([page(3), page(4)], { forefront: true });
    await pages.add([page(5)], { priority: 1 });
    await pages.add([page(6)], { priority: -1, forefront: true });
    expect(await take()).toEqual([5, 3, 4, 1, 2, 6].map(page));
  });

  test('hosts take turns', async () => {
    await pages.add(['https://a.example/1', 'https://a.example/2', 'https://a.example/3', 'https://b.example/1']);
    const urls = await take();
    expect(urls.indexOf('https://b.example/1')).toBeLessThan(2);
    expect(urls).toHaveLength(4);
  });

  test('a loop has as many requests at once as its concurrency says, and ends when all are settled', async () => {
    await pages.add(Array.from({ length: 20 }, (_, n) => page(n)));
    let open = 0;
    let most = 0;
    const visited: string[] = [];
    const visit = async (request: QueueRequest): Promise<void> => {
      most = Math.max(most, ++open);
      await new Promise(resolve => setImmediate(resolve));
      visited.push(request.url);
      open--;
      await pages.done(request);
    };
    for await (const request of pages.take({ concurrency: 4 })) void visit(request);
    expect(new Set(visited).size).toBe(20);
    expect(visited).toHaveLength(20);
    expect(most).toBe(4);
  });

  test('pages that are added during the loop are taken in it', async () => {
    await pages.add(page(0));
    const urls: string[] = [];
    for await (const request of pages.take()) {
      urls.push(request.url);
      if (urls.length < 5) await pages.add(page(urls.length));
      await pages.done(request);
    }
    expect(urls).toEqual([0, 1, 2, 3, 4].map(page));
  });

  test('a request is tried again until it has had all its tries', async () => {
    await pages.add(page(1));
    const tries: [number, boolean][] = [];
    for await (const request of pages.take()) {
      tries.push([request.retries, await pages.retry(request, { delayMs: 0, max: 2, error: new Error('busy') })]);
    }
    expect(tries).toEqual([
      [0, true],
      [1, true],
      [2, false],
    ]);
    expect(await pages.add(page(1))).toEqual({ added: 0, known: 1 });
  });

  test.each([
    ['a NUL', new Error('unexpected body: \0')],
    ['half a character', '\ud800'],
    ['a message that is not a text', Object.assign(new Error(), { message: { code: 5 } })],
  ])('a request fails with an error with %s', async (_, error) => {
    await pages.add([page(1), page(2)]);
    for await (const request of pages.take({ concurrency: 2 })) await pages.failed(request, error);
    expect(await pages.counts()).toMatchObject({ waiting: 0, taken: 0, failed: 2 });
  });

  test('a loop waits for a request that is due soon, and not for one that is due much later', async () => {
    await pages.add([page(1), page(2)]);
    const urls: string[] = [];
    for await (const request of pages.take()) {
      urls.push(request.url);
      if (request.url === page(2)) await pages.retry(request, { delayMs: 3_600_000 });
      else if (request.retries === 0) await pages.retry(request, { delayMs: 300 });
      else await pages.done(request);
    }
    expect(urls).toEqual([page(1), page(2), page(1)]);
  });

  test('a failed request is not given out again', async () => {
    await pages.add([page(1), page(2)]);
    for await (const request of pages.take()) await pages.failed(request, 'no such page');
    expect(await take()).toEqual([]);
  });

  test('a loop that is left gives back only its own requests', async () => {
    await pages.add([page(1), page(2), page(3)]);
    const other = pages.take({ concurrency: 2 });
    const held = (await other.next()).value as QueueRequest;
    for await (const request of pages.take({ concurrency: 2 })) {
      expect(request.url).toBe(page(3));
      break;
    }
    await pages.done(held);
    await other.return();
    expect(await take()).toEqual([page(2), page(3)]);
  });

  test('a loop that forgets to settle a request says which one', async () => {
    await pages.add([page(1), page(2)]);
    const forgetful = async () => {
      for await (const request of pages.take()) void request;
    };
    expect(await failure(forgetful())).toMatchObject({ name: 'TypeError', message: expect.stringContaining(page(1)) });
    expect(await take()).toEqual([page(1), page(2)]);
  });

  test('a request can be settled only once', async () => {
    await pages.add(page(1));
    for await (const request of pages.take()) {
      await pages.done(request);
      expect(await failure(pages.done(request))).toMatchObject({ name: 'TypeError' });
    }
  });

  test('takeNow takes at once what is there, and tells whether later calls may find more', async () => {
    await pages.add([page(1), page(2), page(3)]);
    const first = await pages.takeNow(2);
    expect(first.requests.map(({ url }) => url)).toEqual([page(1), page(2)]);
    const second = await pages.takeNow(5);
    expect(second.requests.map(({ url }) => url)).toEqual([page(3)]);
    expect(await pages.takeNow()).toEqual({ requests: [], isOpen: true });
    for (const request of [...first.requests, ...second.requests]) await pages.done(request);
    expect(await pages.takeNow()).toEqual({ requests: [], isOpen: false });
  });

  test('a released request is taken again, and was not tried', async () => {
    await pages.add([page(1), page(2)]);
    const [held] = (await pages.takeNow()).requests;
    await pages.release(held as QueueRequest);
    expect((await pages.takeNow(2)).requests.map(({ url, retries }) => [url, retries])).toEqual([
      [page(1), 0],
      [page(2), 0],
    ]);
  });

  test('addEach tells which pages are new, known and done, with the ids that a take returns', async () => {
    const [first] = await pages.addEach(page(1));
    const [taken] = (await pages.takeNow()).requests;
    expect(first).toEqual({ id: taken?.id, state: 'added' });
    await pages.done(taken as QueueRequest);
    const states = (await pages.addEach([page(1), page(2), page(2)])).map(({ state }) => state);
    expect(states).toEqual(['done', 'added', 'known']);
  });

  test('a queue counts its requests', async () => {
    expect(await pages.counts()).toEqual({ waiting: 0, taken: 0, done: 0, failed: 0 });
    await pages.add([1, 2, 3, 4, 5].map(page));
    const { requests } = await pages.takeNow(4);
    const [done, failed, later] = requests as [QueueRequest, QueueRequest, QueueRequest];
    await pages.done(done);
    await pages.failed(failed);
    await pages.retry(later, { delayMs: 3_600_000 });
    expect(await pages.counts()).toEqual({ waiting: 2, taken: 1, done: 1, failed: 1 });
  });

  test('a dropped queue knows no page any more, and can be filled again', async () => {
    await pages.drop();
    await pages.add([page(1), page(2)]);
    const [held] = (await pages.takeNow()).requests;
    await pages.drop();
    expect(await pages.counts()).toEqual({ waiting: 0, taken: 0, done: 0, failed: 0 });
    expect(await pages.add(page(1))).toEqual({ added: 1, known: 0 });
    await pages.done(held as QueueRequest);
    expect(await take()).toEqual([page(1)]);
  });

  test.each<[string, unknown]>([
    ['an address without a scheme', 'shop.example/a'],
    ['an address of a file', 'file:///etc/passwd'],
    ['a number', 7],
    ['null', null],
    ['an object without an address', { userData: 1 }],
    ['an empty key', { url: 'https://shop.example', uniqueKey: '' }],
    ['userData that JSON cannot hold', { url: 'https://shop.example', userData: 1n }],
  ])('add refuses %s, and adds nothing', async (_, wrong) => {
    const error = await failure(pages.add([page(1), wrong as string]));
    expect(error).toMatchObject({ name: 'TypeError', message: expect.stringContaining('requests[1]') });
    expect(await take()).toEqual([]);
  });

  test('add refuses an address of 1 MB and large userData in a short message', async () => {
    for (const request of [
      `https://shop.example/${'a'.repeat(1_000_000)}`,
      { url: page(1), userData: 'b'.repeat(70_000) },
    ]) {
      const error = await failure(pages.add([request]));
      expect(error).toMatchObject({ name: 'StorageError', code: 'storage_too_large' });
      expect(error.message.length).toBeLessThan(300);
    }
  });

  test('more requests than one call may have are added and taken', async () => {
    const userData = 'x'.repeat(2_000);
    const many = Array.from({ length: 1_500 }, (_, n) => ({ url: page(n), userData }));
    expect(await pages.add(many)).toEqual({ added: 1_500, known: 0 });
    let count = 0;
    for await (const request of pages.take({ concurrency: 500 })) {
      count++;
      void pages.done(request);
    }
    expect(count).toBe(1_500);
  });

  test.each(['', 'Upper', 'with space', '../up', '-a', 'a'.repeat(65)])('a queue cannot be named %j', name => {
    expect(() => queue(name)).toThrow('lower-case letters');
  });
}
