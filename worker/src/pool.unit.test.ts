import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import type { Executor, LimitReached, ProcessEnd, RunProcess } from './executor/executor.js';
import { limitsOf } from './executor/limits.js';
import { Pool, type ProcessWish, type TakenProcess } from './pool.js';
import type { ProcessMarks } from './process-marks.js';
import type { Watchdog } from './watchdog.js';
import type { WatchedProcess } from './watchdog-line.js';

const GOES_ON = new AbortController().signal;
const WISH: ProcessWish = { environment: 'nodejs', key: null, endsWithLease: false, over: GOES_ON };

/** A process that says it is parked when the test lets it. */
class ProcessStandIn {
  readonly messages = new PassThrough();
  readonly events = new EventEmitter();
  isGone = false;
  isStill = false;
  cannotStand = false;
  readonly process: RunProcess;

  constructor(readonly place: number) {
    const [commands, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    this.process = {
      mark: { pid: place, started: null, boot: null, uid: null },
      libraries: '/libraries',
      folder: '/run',
      commands,
      messages: this.messages,
      stdout,
      stderr,
      ended: once(this.events, 'end').then(([end]) => end as ProcessEnd),
      limits: limitsOf('nodejs', {}),
      refusals: {},
      limitReached: once(this.events, 'limit').then(([limit]) => limit as LimitReached),
      look: () => null,
      begin: () => {},
      freeze: async () => {
        if (this.cannotStand) throw new Error('This system has no /proc.');
        this.isStill = true;
      },
      thaw: async () => {
        this.isStill = false;
      },
      kill: async () => this.dies(),
    };
  }

  /** All that was written to it. */
  get told(): string {
    return String((this.process.commands as PassThrough).read() ?? '');
  }

  parks(): void {
    this.messages.write('{"run":0,"t":"parked"}\n');
  }

  dies(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.events.emit('end', { code: null, signal: 'SIGKILL' });
    for (const pipe of [this.messages, this.process.stdout, this.process.stderr]) (pipe as PassThrough).end();
  }
}

/** Held to the contract of executors: no two processes at a time in one place. */
class ExecutorStandIn implements Executor {
  readonly level = 'none';
  readonly layers = [];
  readonly made: ProcessStandIn[] = [];
  /** False: processes load until the test lets them be parked. */
  parksAtOnce = true;
  failure: Error | null = null;
  mostStarting = 0;
  #starting = 0;

  async start(place: number): Promise<RunProcess> {
    if (this.alive.some(other => other.place === place)) throw new Error(`place ${place} is taken`);
    this.#starting += 1;
    this.mostStarting = Math.max(this.mostStarting, this.#starting);
    await new Promise(setImmediate);
    this.#starting -= 1;
    if (this.failure) throw this.failure;
    const made = new ProcessStandIn(place);
    this.made.push(made);
    if (this.parksAtOnce) made.parks();
    return made.process;
  }

  async clear(): Promise<void> {}

  get alive(): ProcessStandIn[] {
    return this.made.filter(({ isGone }) => !isGone);
  }

  of(taken: TakenProcess): ProcessStandIn {
    return this.made.find(({ process }) => process === taken.process) as ProcessStandIn;
  }
}

let executor: ExecutorStandIn;
let pool: Pool;
/** Of the places that the watchdog has: whether their process ends with the lease. */
let watched: Map<number, boolean>;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'] });
  executor = new ExecutorStandIn();
});

afterEach(async () => {
  await pool.close();
  jest.useRealTimers();
});

function open({ parked: wanted = 2, places = 8, free = Number.POSITIVE_INFINITY } = {}): void {
  const marks = { keep: () => {}, forget: () => {} } as unknown as ProcessMarks;
  watched = new Map();
  const watchdog = {
    watch: ({ place, endsWithLease }: WatchedProcess) => watched.set(place, endsWithLease),
    over: (place: number) => watched.delete(place),
  } as unknown as Watchdog;
  const log = pino({ level: 'silent' });
  const parked = new Map([['nodejs', wanted] as const]);
  pool = new Pool({ executor, places, startsAtOnce: 2, parked, memory: { free }, marks, watchdog, log });
}

/** Lets as much time pass as the pool takes to be full, and more. */
async function settle(ms = 500): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5) {
    await jest.advanceTimersByTimeAsync(5);
    for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
  }
}

test('as many are parked as are wanted, and one that a run has taken is replaced', async () => {
  open();
  await settle();
  expect(executor.alive).toHaveLength(2);
  const taken = await pool.take(WISH);
  expect(executor.made).toHaveLength(2);
  await settle();
  expect(executor.alive).toHaveLength(3);
  await taken.end();
  await settle();
  expect(executor.alive).toHaveLength(2);
});

test('a parked process that no run wants yet is told to prepare, once, and only when none is being started', async () => {
  executor.parksAtOnce = false;
  open();
  await settle(50);
  executor.made[0]?.parks();
  await settle(50);
  expect(executor.made.map(({ told }) => told)).toEqual(['', '']);
  executor.made[1]?.parks();
  await settle();
  expect(executor.made.map(({ told }) => told)).toEqual(['{"t":"prepare"}\n', '{"t":"prepare"}\n']);
});

test('no run gets a process that another has had', async () => {
  open();
  const seen = new Set<ProcessStandIn>();
  for (let n = 0; n < 12; n += 1) {
    const taken = await Promise.all([pool.take(WISH), settle(50)]).then(([process]) => process);
    expect(taken.run).toBe(1);
    expect(seen.has(executor.of(taken))).toBe(false);
    seen.add(executor.of(taken));
    await taken.end();
  }
});

test('a run that finds none joins the one that is being started', async () => {
  executor.parksAtOnce = false;
  open({ parked: 1 });
  await settle(20);
  expect(executor.made).toHaveLength(1);
  const taking = pool.take(WISH);
  await settle(20);
  expect(executor.made).toHaveLength(1);
  executor.made[0]?.parks();
  expect(executor.of(await taking)).toBe(executor.made[0]);
});

test('many runs at once start no more processes at a time than may be', async () => {
  open({ parked: 0 });
  const taking = Promise.all(Array.from({ length: 6 }, () => pool.take(WISH)));
  await settle();
  expect(new Set((await taking).map(taken => executor.of(taken).place)).size).toBe(6);
  expect(executor.mostStarting).toBe(2);
});

test('a parked process that dies is replaced; processes that keep dying are not started without pause', async () => {
  open();
  await settle();
  executor.alive[0]?.dies();
  await settle(2_000);
  expect(executor.alive).toHaveLength(2);
  for (let n = 0; n < 20; n += 1) {
    for (const process of executor.alive) process.dies();
    await settle(50);
  }
  expect(executor.made.length).toBeLessThan(20);
});

test('a run is told why no process could be started, and the next gets one again', async () => {
  executor.failure = new Error('spawn EAGAIN');
  open({ parked: 0 });
  const refused = expect(pool.take(WISH)).rejects.toThrow('spawn EAGAIN');
  await settle(50);
  await refused;
  executor.failure = null;
  const taking = pool.take(WISH);
  await settle(50);
  expect((await taking).run).toBe(1);
});

test('a process that ends while it is loaded is told with what it said', async () => {
  executor.parksAtOnce = false;
  open({ parked: 0 });
  const refused = expect(pool.take(WISH)).rejects.toThrow('was killed by SIGKILL while it was loaded. no space');
  await settle(20);
  const [loading] = executor.made as [ProcessStandIn];
  (loading.process.stderr as PassThrough).write('no space\n');
  await settle(20);
  loading.dies();
  await settle(50);
  await refused;
});

test('a run that is over waits for no process; the one that was started for it is parked', async () => {
  open({ parked: 1 });
  executor.parksAtOnce = false;
  const over = new AbortController();
  const refused = expect(pool.take({ ...WISH, over: over.signal })).rejects.toThrow('stopped');
  await settle(20);
  over.abort(new Error('stopped'));
  await refused;
  executor.made[0]?.parks();
  await settle(20);
  expect(executor.of(await pool.take(WISH))).toBe(executor.made[0]);
});

test('with little memory free, none is parked and none is kept', async () => {
  open({ free: 255 * 1024 * 1024 });
  await settle();
  expect(executor.made).toHaveLength(0);
  const [taken] = await Promise.all([pool.take({ ...WISH, key: 'a' }), settle(100)]);
  taken.keep();
  await settle(20);
  expect(executor.alive).toHaveLength(0);
});

describe('a process that is kept', () => {
  const WARM = { ...WISH, key: 'a' };

  async function kept(wish: ProcessWish): Promise<ProcessStandIn> {
    const taken = await Promise.all([pool.take(wish), settle(100)]).then(([process]) => process);
    taken.keep();
    return executor.of(taken);
  }

  test('is ended when more are kept than there may be, the oldest first', async () => {
    open({ parked: 0, places: 20 });
    const all: ProcessStandIn[] = [];
    for (let n = 0; n <= 16; n += 1) all.push(await kept({ ...WISH, key: String(n) }));
    await settle(20);
    expect(all.map(({ isGone }) => isGone)).toEqual(all.map((_, n) => n === 0));
  });

  test('is given to the next run with its key, one at a time, and to no other', async () => {
    open();
    const first = await kept(WARM);
    const others = [await pool.take({ ...WISH, key: 'b' }), await pool.take(WISH)];
    expect(others.map(taken => executor.of(taken))).not.toContain(first);
    const again = await pool.take(WARM);
    expect([executor.of(again), again.run]).toEqual([first, 2]);
    const [beside] = await Promise.all([pool.take(WARM), settle(100)]);
    expect([executor.of(beside) === first, beside.run]).toEqual([false, 1]);
  });

  test('is ended at once when its run had no key: none that comes could be meant to have it', async () => {
    open();
    const process = await kept(WISH);
    await settle(20);
    expect(process.isGone).toBe(true);
  });

  test('stands still when no run comes for it soon, and goes on for the next', async () => {
    open();
    const process = await kept(WARM);
    await settle(900);
    expect(process.isStill).toBe(false);
    await settle(200);
    expect(process.isStill).toBe(true);
    const taken = await pool.take(WARM);
    expect([executor.of(taken), process.isStill]).toEqual([process, false]);
    await settle(2_000);
    expect(process.isStill).toBe(false);
  });

  test('is ended when it cannot be brought to a stand', async () => {
    open();
    const process = await kept(WARM);
    process.cannotStand = true;
    await settle(1_100);
    expect(process.isGone).toBe(true);
  });

  test('is ended when no run comes for it', async () => {
    open();
    const process = await kept(WARM);
    await settle(31_000);
    expect(process.isGone).toBe(true);
  });

  test('is given to no run after it has died or reached a limit', async () => {
    open();
    const died = await kept(WARM);
    died.dies();
    await settle(20);
    expect(executor.of(await pool.take(WARM))).not.toBe(died);
    const limited = await kept({ ...WISH, key: 'b' });
    limited.events.emit('limit', { code: 'cpu_limit', text: 'too much' });
    await settle(20);
    expect(limited.isGone).toBe(true);
    expect(executor.of(await pool.take({ ...WISH, key: 'b' }))).not.toBe(limited);
  });

  test('gives its place to a run that finds none free, the oldest first', async () => {
    open({ parked: 0, places: 2 });
    const [first, second] = [await kept(WARM), await kept({ ...WISH, key: 'b' })];
    const [taken] = await Promise.all([pool.take({ ...WISH, key: 'c' }), settle(100)]);
    expect([first.isGone, second.isGone, taken.run]).toEqual([true, false, 1]);
  });
});

test('the watchdog ends with the lease what a run of that kind has, and nothing that only waits', async () => {
  open({ parked: 0 });
  const [taken] = await Promise.all([pool.take({ ...WISH, key: 'a', endsWithLease: true }), settle(100)]);
  expect([...watched.values()]).toEqual([true]);
  taken.keep();
  expect([...watched.values()]).toEqual([false]);
  const again = await pool.take({ ...WISH, key: 'a', endsWithLease: true });
  expect([...watched.values()]).toEqual([true]);
  await again.end();
  expect(watched.size).toBe(0);
});

test('processes of one environment that are slow to load hold up no run of another', async () => {
  open({ parked: 0 });
  executor.parksAtOnce = false;
  const slow = Promise.all([1, 2].map(() => pool.take({ ...WISH, environment: 'browser' })));
  await settle(20);
  executor.parksAtOnce = true;
  let taken: TakenProcess | undefined;
  void pool.take(WISH).then(one => {
    taken = one;
  });
  await settle(20);
  expect(taken).toBeDefined();
  for (const made of executor.made.slice(0, 2)) made.parks();
  await slow;
});

test('more runs than places are told so', async () => {
  open({ parked: 0, places: 1 });
  await Promise.all([pool.take(WISH), settle(50)]);
  const refused = expect(pool.take(WISH)).rejects.toThrow('Every place for a process on this worker is taken.');
  await settle(50);
  await refused;
});

test('a process that cannot be killed is not waited for, and no other gets its place', async () => {
  open({ parked: 0, places: 1 });
  const stuck = await pool.take(WISH);
  executor.of(stuck).process.kill = () => new Promise(() => {});
  const killed = expect(stuck.kill()).rejects.toThrow('still there 10 s after it was killed');
  const ended = stuck.end();
  await jest.advanceTimersByTimeAsync(10_000);
  await killed;
  await ended;
  await expect(pool.take(WISH)).rejects.toThrow('Every place');
});

test('a pool that is closed has no process left, and starts one only for a run that there is', async () => {
  open();
  await settle();
  await pool.close();
  await settle();
  expect(executor.alive).toEqual([]);
  const [taken] = await Promise.all([pool.take({ ...WISH, key: 'a' }), settle(100)]);
  taken.keep();
  await settle(100);
  expect(executor.alive).toEqual([]);
});
