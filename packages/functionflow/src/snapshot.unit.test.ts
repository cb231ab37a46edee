import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { flowOf, increment, settle } from '../test/flows.js';
import type { FlowSnapshot, FunctionFlow } from './index.js';

type Main = (flow: FunctionFlow<any>) => Promise<unknown>;

/** Runs `main` and saves the flow as JSON text after each function. */
async function saved(main: Main) {
  const flow = flowOf(0);
  const snapshots: string[] = [];
  flow.eventEmitter.on('ff-step', () => snapshots.push(JSON.stringify(flow.snapshot())));
  await main(flow);
  return { x: flow.x, snapshots };
}

async function restored(main: Main, snapshot: FlowSnapshot<unknown>) {
  const flow = flowOf(0);
  flow.restore(snapshot);
  await main(flow);
  return flow.x;
}

test('a flow restored from a snapshot after any of its functions ends with the same x as without interruption', async () => {
  const note = (x: string, lib: any) =>
    `${x}${lib.serialEachElement ?? ''}${lib.serialRepeatIteration ?? ''}${lib.flow.iteration};`;
  const main: Main = async flow => {
    flow.libInject({ flow });
    const jumpAndGo = (x: string) => {
      if (flow.iteration === 1) flow.jump(3);
      if (flow.iteration === 5) flow.break();
      if (flow.iteration === 4) flow.go(3);
      return note(x, flow.lib);
    };
    flow.xInject('start:');
    await flow.serial([note, jumpAndGo, note, note]);
    await flow.repeat(9);
    await flow.serialEach([note, note], ['a', 'b']);
    await flow.repeat(2);
    await flow.serialRepeat([note], 3);
    await flow.parallelAll([note, note]);
    await flow.repeat(1);
    await flow.one(x => String(x));
    const next = (x: string) => {
      flow.next();
      return note(x, flow.lib);
    };
    await flow.serial([note, next, note]);
  };
  const { x, snapshots } = await saved(main);
  expect(snapshots).toHaveLength(41);
  for (const snapshot of snapshots) expect(await restored(main, JSON.parse(snapshot))).toBe(x);
});

test('a snapshot taken before the first function or between calls contains the current x', async () => {
  const flow = flowOf(5);
  expect(flow.snapshot()).toEqual({ call: 0, iteration: 0, round: 0, index: 0, jumpTo: null, x: 5 });
  await flow.serial([increment]);
  flow.xInject(9);
  const expected = { call: 0, iteration: 0, round: 0, index: 1, jumpTo: null, x: 9 };
  expect(flow.snapshot()).toEqual(expected);
  await flow.one(x => {
    expect(flow.snapshot()).toEqual(expected);
    return x;
  });
});

test('nested calls inside a function do not change the snapshot of the flow', async () => {
  const flow = flowOf(0);
  const inner = async (x: number) => {
    await flow.serial([y => y + 100, y => y + 100]);
    expect(flow.snapshot()).toMatchObject({ call: 0, index: 1, x: 1 });
    return x + 1;
  };
  expect(await flow.serial([increment, inner])).toBe(2);
});

test('a stopped flow continues from its snapshot in a new flow', async () => {
  const stopping = flowOf(0);
  const stop = (x: number) => {
    stopping.stop();
    return x + 1;
  };
  await stopping.serial([increment, stop, increment]);
  await stopping.repeat(2);
  const main: Main = async flow => {
    await flow.serial([increment, increment, increment]);
    await flow.repeat(2);
  };
  expect(await restored(main, stopping.snapshot())).toBe(9);
});

test('restore refuses an invalid position, and a flow that has already run a function', async () => {
  const flow = flowOf(0);
  const snapshot = flow.snapshot();
  expect(() => flow.restore({ ...snapshot, index: -1 })).toThrow('`index` must be an integer at least 0; you sent -1.');
  await flow.one(increment);
  expect(() => flow.restore(snapshot)).toThrow('`restore` must come before the first call of the flow.');
});

test('a flow of 10,000 functions does not keep earlier values of x in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const flow = flowOf({ n: 0 });
  const all: WeakRef<object>[] = [];
  const heapBytes: number[] = [];
  const replace = async (x: { n: number }) => {
    const next = { n: x.n + 1, values: Array.from({ length: 1000 }, () => x.n) }; // about 8 KB
    all.push(new WeakRef(next));
    if (next.n % 1000 === 0) await settle();
    if (next.n === 2000 || next.n === 10_000) {
      collectGarbage();
      heapBytes.push(process.memoryUsage().heapUsed);
    }
    return next;
  };
  flow.eventEmitter.on('ff-step', () => flow.snapshot());
  await flow.serial(Array.from({ length: 5000 }, () => replace));
  await flow.repeat(1);
  await settle();
  collectGarbage();
  expect(flow.x.n).toBe(10_000);
  expect(all.filter(ref => ref.deref()).length).toBeLessThanOrEqual(2);
  const [early = 0, late = 0] = heapBytes;
  // 8,000 values of x would be 64 MB.
  expect(late - early).toBeLessThan(16 * 1024 * 1024);
});
