import { Binary, deserialize, serialize } from 'bson';
import { queue } from './queue.js';

const PORT = Symbol.for('trawl.storage');
const globals = globalThis as Record<symbol, unknown> & { trawl?: unknown };
let calls: { method: string; args: any }[];
/** Answers of the platform by method. */
let answers: Record<string, (args: any) => object | Promise<object>>;

beforeEach(() => {
  calls = [];
  globals.trawl = { execution_id: `run-${expect.getState().currentTestName}` };
  globals[PORT] = async ({ method, args }: { method: string; args: Uint8Array }) => {
    const call = { method, args: deserialize(args) };
    calls.push(call);
    return { result: serialize((await answers[method]?.(call.args)) ?? {}) };
  };
  // The platform does not know the pages whose address ends with `new`.
  answers = {
    queueAdd: ({ urls }) => ({
      states: new Binary(Buffer.from(urls.map((url: string) => (url.endsWith('new') ? 0 : 1)))),
    }),
  };
});
afterEach(() => {
  delete globals[PORT];
  delete globals.trawl;
});

const page = (name: string): string => `https://shop.example/${name}`;

test('additions at the same time share a call, and each learns which of its pages are new', async () => {
  const pages = queue('shared');
  const outcomes = await Promise.all([
    pages.add([page('a'), page('b-new')]),
    pages.add(page('c-new')),
    pages.add([page('d'), page('e'), page('f-new')]),
    pages.add(page('g-new'), { priority: 1 }),
    pages.add(page('h'), { priority: 1, forefront: true }),
  ]);
  expect(outcomes).toEqual([
    { added: 1, known: 1 },
    { added: 1, known: 0 },
    { added: 1, known: 2 },
    { added: 1, known: 0 },
    { added: 0, known: 1 },
  ]);
  expect(calls.map(({ args }) => [args.urls.length, args.priority, args.forefront])).toEqual([
    [6, 0, false],
    [1, 1, false],
    [1, 1, true],
  ]);
});

test('a shared call has at most as many pages and bytes as a call may have', async () => {
  const pages = queue('limits');
  const many = (count: number, name: string) => Array.from({ length: count }, (_, n) => page(`${name}${n}`));
  await Promise.all(Array.from({ length: 12 }, (_, n) => pages.add(many(90, `many${n}-`))));
  expect(calls.map(({ args }) => args.urls.length)).toEqual([990, 90]);
  calls = [];
  const userData = 'x'.repeat(60_000);
  await Promise.all(Array.from({ length: 8 }, (_, n) => pages.add({ url: page(`large${n}`), userData })));
  expect(calls.map(({ args }) => args.urls.length)).toEqual([6, 2]);
});

test('a call that fails fails all its additions, and no later one', async () => {
  const answer = answers.queueAdd as (args: object) => object;
  answers.queueAdd = args => {
    if (calls.length === 1) throw new Error('lost');
    return answer(args);
  };
  const pages = queue('failing');
  const failed = await Promise.allSettled([pages.add(page('a')), pages.add(page('b'))]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await pages.add(page('c-new'))).toEqual({ added: 1, known: 0 });
});

test('a loop takes the next request while the platform still stores how the last one ended', async () => {
  let [taken, stored] = [0, 0];
  answers.queueTake = ({ count }) => ({
    requests: Array.from({ length: Math.min(count, 4 - taken) }, () => ({
      id: `00000000-0000-0000-0000-00000000000${taken}`,
      url: page(String(taken++)),
      data: null,
      retries: 0,
    })),
    leased: taken - stored,
    due_ms: null,
  });
  let store = () => {};
  const isStored = new Promise<void>(resolve => {
    store = resolve;
  });
  answers.queueSettle = async ({ takes }) => {
    await isStored;
    stored += takes.length;
    return {};
  };
  const pages = queue('loop');
  const urls: string[] = [];
  for await (const request of pages.take({ concurrency: 2 })) {
    urls.push(request.url);
    void new Promise(resolve => setImmediate(resolve)).then(() => pages.done(request));
    if (urls.length === 4) store();
  }
  expect(urls).toEqual(['0', '1', '2', '3'].map(page));
});
