// The compiler checks this file in `npm run types`: each `@ts-expect-error` fails if its line compiles.
import { type FlowFunction, type FlowSnapshot, type FlowStep, FunctionFlow } from '../src/index.js';

interface Book {
  title: string;
  price?: number;
}

/** Compiles if both types are the same. */
function same<A, B>(..._: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? [] : [never]): void {}

test('the compiler types x and lib of a flow’s functions, and refuses results that are not an x', async () => {
  const flow = new FunctionFlow<number, { factor: number }>();
  flow.xInject(5);
  flow.libInject({ factor: 2 });
  const multiply: FlowFunction<number, { factor: number }> = (x, lib) => x * lib.factor;
  const guarded: FlowStep<number, { factor: number }> = { run: multiply, onError: (_, x, lib) => x + lib.factor };
  const result = await flow.serial([multiply, async x => x + 1, guarded]);
  same<typeof result, number>();
  same<typeof flow.x, number>();
  expect(result).toBe(22);

  // @ts-expect-error a result must be an x
  const wrongResult = () => flow.serial([x => String(x)]);
  // @ts-expect-error an asynchronous result must be an x
  const wrongPromise = () => flow.one(async x => String(x));
  // @ts-expect-error x is a number
  const wrongParameter = () => flow.one((x: string) => x);
  // @ts-expect-error lib has no such name
  const wrongLib = () => flow.one((x, lib) => x * lib.rate);
  // @ts-expect-error the handler's result must be an x
  const wrongHandler = () => flow.one({ run: multiply, onError: () => 'none' });
  // @ts-expect-error there is no such policy
  const wrongPolicy = () => flow.one({ run: multiply, timeout: 5 });
  // @ts-expect-error x is a number
  const wrongX = () => flow.xInject('5');
  // @ts-expect-error lib must be complete
  const wrongInject = () => flow.libInject({});
  const refused = [wrongResult, wrongPromise, wrongParameter, wrongLib, wrongHandler, wrongPolicy, wrongX, wrongInject];
  expect(refused).toHaveLength(8);
});

test('the compiler types the item of serialEach and the iteration of serialRepeat', async () => {
  const flow = new FunctionFlow<string>();
  flow.xInject('');
  const books: Book[] = [{ title: 'Sea stories' }];
  await flow.serialEach(
    [
      (x, lib) => {
        same<typeof lib.serialEachElement, Book>();
        same<typeof lib.serialEachKey, number>();
        return x + lib.serialEachElement.title;
      },
    ],
    books,
  );
  await flow.serialRepeat([(x, lib) => x + lib.serialRepeatIteration.toFixed()], 2);
  expect(flow.x).toBe('Sea stories12');

  // @ts-expect-error items are books
  const wrongItem = () => flow.serialEach([(x, lib) => x + lib.serialEachElement.isbn], books);
  expect(wrongItem).toBeInstanceOf(Function);
});

test('the compiler types each result of parallelAll, and refuses it if x cannot be an array', async () => {
  const flow = new FunctionFlow<number | [string, boolean]>();
  flow.xInject(5);
  const results = await flow.parallelAll([x => String(x), async x => x === 5]);
  same<typeof results, [string, boolean]>();
  expect(results).toEqual(['5', true]);

  const numbers = new FunctionFlow<number>();
  // @ts-expect-error x cannot be an array
  const wrongResults = () => numbers.parallelAll([x => x, x => x]);
  expect(wrongResults).toBeInstanceOf(Function);
});

test('the compiler types a snapshot by its x, and refuses to restore it into a flow of another type', () => {
  const flow = new FunctionFlow<Book>();
  const snapshot = flow.snapshot();
  same<typeof snapshot, FlowSnapshot<Book>>();
  // @ts-expect-error its x is a book
  const wrongFlow = () => new FunctionFlow<number>().restore(snapshot);
  expect(wrongFlow).toBeInstanceOf(Function);
});

test('the compiler infers x of a flow without types: each function gets the result of the one before', async () => {
  const flow = new FunctionFlow();
  flow.xInject({ title: 'Sea stories' });
  const length = await flow.serial([
    (x: Book) => x.title,
    async title => {
      same<typeof title, string>();
      return title.length;
    },
    { run: (x, _lib) => [x, x > 5] as const, retries: 1 },
    x => {
      same<typeof x, readonly [number, boolean]>();
      return { length: x[0] };
    },
  ]);
  same<typeof length, { length: number }>();
  expect(length).toEqual({ length: 11 });

  const doubled = await flow.one(async (x: { length: number }) => 2 * x.length);
  same<typeof doubled, number>();
  const all = await flow.parallelAll([(x: number) => String(x), async (x: number) => x > 5]);
  same<typeof all, [string, boolean]>();
  const first = await flow.parallelRace([() => 1, async () => 'none']);
  same<typeof first, number | string>();
  expect([doubled, all, first]).toEqual([22, ['22', true], 1]);

  // @ts-expect-error the second function gets text
  const wrongOrder = () => flow.serial([(x: Book) => x.title, (x: number) => x]);
  // @ts-expect-error the third function gets a number
  const wrongUse = () => flow.serial([(x: Book) => x.title, x => x.length, x => x.trim()]);
  // @ts-expect-error the result is a number
  const wrongResult = async () => (await flow.serial([(x: Book) => x.title, x => x.length])).trim();
  // @ts-expect-error the handler must return what the function returns
  const wrongHandler = async () => (await flow.one({ run: () => 1, onError: () => 'none' })).toFixed();
  expect([wrongOrder, wrongUse, wrongResult, wrongHandler]).toHaveLength(4);
});

test('the compiler infers x of serialEach and serialRepeat in a flow without types', async () => {
  const flow = new FunctionFlow();
  flow.xInject(0);
  const books: Book[] = [{ title: 'Sea stories', price: 2 }];
  const sum = await flow.serialEach([(x: number, lib) => x + (lib.serialEachElement.price ?? 0)], books);
  const counted = await flow.serialRepeat([(x: number, lib) => x + lib.serialRepeatIteration], 2);
  same<typeof sum, number>();
  same<typeof counted, number>();
  expect([sum, counted]).toEqual([2, 5]);

  // @ts-expect-error the next round gets the result
  const wrongRound = () => flow.serialEach([(x: number) => String(x)], books);
  expect(wrongRound).toBeInstanceOf(Function);
});
