import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Environment, RunNode } from '@trawl/contracts';
import { pino } from 'pino';
import { limitsOf } from '../executor/limits/limit-settings.js';
import type { Executor } from '../executor/port/executor.js';
import type { ProcessRegistry } from '../process/process-registry.js';
import { identify } from '../process/process-table.js';
import type { LimitReached, ProcessEnd, RunProcess } from '../process/run-process.js';
import type { Watchdog } from '../watchdog/watchdog.js';
import type { WatchedProcess } from '../watchdog/watchdog-messages.js';
import { Pool } from './pool.js';
import type { ProcessWish, TakenProcess } from './taken-process.js';

const GOES_ON = new AbortController().signal;
const WISH: ProcessWish = { environment: 'nodejs', ownerId: 'ana', key: null, endsWithLease: false, over: GOES_ON };

/** Stand-in for a process. It reports that it is parked when the test tells it to. */
class ProcessStandIn {
  readonly messages = new PassThrough();
  readonly events = new EventEmitter();
  share = 1;
  isGone = false;
  isFrozen = false;
  cannotFreeze = false;
  readonly process: RunProcess;

  constructor(readonly slotIndex: number) {
    const [commands, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    this.process = {
      identity: { pid: slotIndex, started: null, boot: null, uid: null },
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
      share: share => {
        this.share = share;
      },
      usage: () => null,
      look: () => null,
      begin: () => {},
      freeze: async () => {
        if (this.cannotFreeze) throw new Error('This system has no /proc.');
        this.isFrozen = true;
      },
      thaw: async () => {
        this.isFrozen = false;
      },
      kill: async () => this.dies(),
    };
  }

  /** Text that the pool has written to the process since this was last read. */
  get received(): string {
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

/** Stand-in for an executor. Also checks that the pool never has two processes in one slot at the same time. */
class ExecutorStandIn implements Executor {
  readonly level = 'none';
  readonly layers = [];
  readonly made: ProcessStandIn[] = [];
  /** The processes with a version of Node that is not the default. */
  readonly others: ProcessStandIn[] = [];
  /** If true, a process is parked as soon as it starts. If false, it is loading until the test parks it. */
  parksAtOnce = true;
  failure: Error | null = null;
  mostStarting = 0;
  #starting = 0;

  background(): string[] {
    return [];
  }

  hasOther = (node: RunNode): boolean => node === 22;

  async start(slotIndex: number, _environment: Environment, node?: RunNode): Promise<RunProcess> {
    if (this.alive.some(other => other.slotIndex === slotIndex)) throw new Error(`slot ${slotIndex} is taken`);
    this.#starting += 1;
    this.mostStarting = Math.max(this.mostStarting, this.#starting);
    await new Promise(setImmediate);
    this.#starting -= 1;
    if (this.failure) throw this.failure;
    const made = new ProcessStandIn(slotIndex);
    if (node !== undefined) this.others.push(made);
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
/** For each slot that the watchdog watches: whether the watchdog ends its process when the lease ends. */
let watched: Map<number, boolean>;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'] });
  executor = new ExecutorStandIn();
  cpuShare = 0;
});

afterEach(async () => {
  await pool.close();
  jest.useRealTimers();
});

/** The share of the processor time that other programs use. */
let cpuShare: number;

interface Opened {
  parked?: number;
  /** Number of parked processes with the spare ones. */
  max?: number;
  size?: number;
  free?: number;
  total?: number;
}

function open({ parked: min = 2, max = min, size = 8, free = 1_000_000_000, total = free }: Opened = {}): void {
  const registry = { add: () => {}, remove: () => {} } as unknown as ProcessRegistry;
  watched = new Map();
  const watchdog = {
    watch: ({ slotIndex, endsWithLease }: WatchedProcess) => watched.set(slotIndex, endsWithLease),
    ended: (slotIndex: number) => watched.delete(slotIndex),
  } as unknown as Watchdog;
  const log = pino({ level: 'silent' });
  const parked = new Map([['nodejs', { min, max, asleep: 1 }] as const]);
  const cpu = { read: () => cpuShare };
  pool = new Pool({ executor, size, startsAtOnce: 2, parked, memory: { free, total }, cpu, registry, watchdog, log });
}

/** Advances the fake time by more than the pool needs to park all its processes. */
async function settle(ms = 500): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5) {
    await jest.advanceTimersByTimeAsync(5);
    for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
  }
}

test('the pool parks the configured number of processes, and replaces one that a run takes', async () => {
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

test('a pool without runs for five minutes keeps one process, and a run wakes it', async () => {
  open({ parked: 2, max: 6, size: 20 });
  await settle(1_000);
  expect(executor.alive).toHaveLength(6);
  await jest.advanceTimersByTimeAsync(4 * 60_000);
  await (await pool.take(WISH)).end();
  await settle(1_000);
  await jest.advanceTimersByTimeAsync(4 * 60_000);
  expect(executor.alive).toHaveLength(6);
  await jest.advanceTimersByTimeAsync(60_000);
  await settle(1_000);
  expect(executor.alive).toHaveLength(1);

  const { made } = executor;
  const count = made.length;
  const first = await pool.take(WISH);
  expect(made).toHaveLength(count);
  await settle(1_000);
  expect(executor.alive).toHaveLength(7);
  await first.end();
});

test('the pool starts a process for a run on another Node version, and gives a default run a parked one', async () => {
  open();
  await settle();
  const [other] = await Promise.all([pool.take({ ...WISH, node: 22 }), settle(50)]);
  expect(executor.others).toEqual([executor.of(other)]);
  const parked = executor.alive.filter(process => !executor.others.includes(process));
  expect(parked).toContain(executor.of(await pool.take({ ...WISH, node: 24 })));
  const over = new AbortController();
  const refused = expect(pool.take({ ...WISH, node: 22, over: over.signal })).rejects.toThrow('stopped');
  over.abort(new Error('stopped'));
  await Promise.all([refused, settle(50)]);
  executor.failure = new Error('no binary');
  await expect(pool.take({ ...WISH, node: 22 })).rejects.toThrow('no binary');
});

test('the pool parks spare processes one after another, only while the machine is idle', async () => {
  cpuShare = 0.6;
  open({ max: 6, size: 20 });
  await settle(1_000);
  expect(executor.alive).toHaveLength(2);
  cpuShare = 0.4;
  await settle(150);
  expect(executor.alive.length).toBeLessThan(6);
  await settle(1_000);
  expect(executor.alive).toHaveLength(6);
  await Promise.all(Array.from({ length: 5 }, () => pool.take(WISH)));
  cpuShare = 1;
  await settle(1_000);
  expect(executor.alive).toHaveLength(5 + 2);
  expect(executor.mostStarting).toBe(2);
});

test.each([
  ['three quarters of the memory are in use', { free: 1_000_000_000, total: 4_100_000_000 }],
  ['only half of the slots are free', { size: 4 }],
])('the pool parks no spare processes while %s', async (_what, limits) => {
  open({ max: 6, size: 20, ...limits });
  await settle(1_000);
  expect(executor.alive).toHaveLength(2);
});

test('the pool divides the processor share of an account between its runs', async () => {
  open();
  const first = await pool.take(WISH);
  const alone = executor.of(first).share;
  expect(alone).toBeLessThan(1);
  const second = await pool.take(WISH);
  const other = await pool.take({ ...WISH, ownerId: 'another account' });
  expect([first, second, other].map(taken => executor.of(taken).share)).toEqual([alone / 2, alone / 2, alone]);
  await second.end();
  expect(executor.of(first).share).toBe(alone);
});

test('the pool prepares each parked process once, and only while it starts no others', async () => {
  executor.parksAtOnce = false;
  open();
  await settle(50);
  executor.made[0]?.parks();
  await settle(50);
  expect(executor.made.map(({ received }) => received)).toEqual(['', '']);
  executor.made[1]?.parks();
  await settle();
  expect(executor.made.map(({ received }) => received)).toEqual(['{"t":"prepare"}\n', '{"t":"prepare"}\n']);
});

test('the pool never gives a used process to a run that is not warm', async () => {
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

test('the pool gives a waiting run the process that it is already starting, and starts no other', async () => {
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

test('the pool starts at most two processes at a time', async () => {
  open({ parked: 0 });
  const taking = Promise.all(Array.from({ length: 6 }, () => pool.take(WISH)));
  await settle();
  expect(new Set((await taking).map(taken => executor.of(taken).slotIndex)).size).toBe(6);
  expect(executor.mostStarting).toBe(2);
});

test('the pool gives processes to the accounts of waiting runs in turn', async () => {
  open({ parked: 0, size: 20 });
  const order: string[] = [];
  const take = async (ownerId: string) => {
    await pool.take({ ...WISH, ownerId });
    order.push(ownerId);
  };
  const all = ['ana', 'ana', 'ana', 'ana', 'ana', 'ben', 'ben', 'eva'].map(take);
  await settle();
  await Promise.all(all);
  expect(order).toEqual(['ana', 'ben', 'eva', 'ana', 'ben', 'ana', 'ana', 'ana']);
});

test('the pool reserves half of the parked processes for accounts without a run', async () => {
  open({ parked: 4, size: 20 });
  await settle();
  executor.parksAtOnce = false;
  const take = (ownerId: string) => pool.take({ ...WISH, ownerId });
  let waiting = 5;
  const runs = Array.from({ length: 5 }, () => take('ana').finally(() => (waiting -= 1)));
  await settle(20);
  expect(waiting).toBe(3);
  await Promise.all([take('ben'), take('eva')]);
  // The next two processes are for another account again, the others for the runs that wait.
  let started = 4;
  const parks = async () => {
    executor.made[started]?.parks();
    started += 1;
    await settle(50);
  };
  for (const left of [3, 3, 2]) {
    await parks();
    expect(waiting).toBe(left);
  }
  await take('kim');
  for (const left of [2, 1, 0]) {
    await parks();
    expect(waiting).toBe(left);
  }
  await Promise.all(runs);
  executor.parksAtOnce = true;
  for (const process of executor.made.slice(started)) process.parks();
});

test('the pool reserves no parked process if no other slot is free', async () => {
  open({ parked: 2, size: 3 });
  await settle();
  const runs = [1, 2, 3].map(() => pool.take(WISH));
  await settle();
  expect(new Set((await Promise.all(runs)).map(taken => executor.of(taken))).size).toBe(3);
  expect(executor.made).toHaveLength(3);
});

test('the pool reserves no process while it closes', async () => {
  open();
  await settle();
  const first = await pool.take(WISH);
  const closing = pool.close();
  const second = pool.take(WISH);
  await settle();
  expect(executor.made).toHaveLength(3);
  await Promise.all([first.end(), second.then(taken => taken.end()), settle()]);
  await closing;
});

test('the pool gives a reserved process to a run if it cannot start another one', async () => {
  open();
  await settle();
  await pool.take(WISH);
  executor.failure = new Error('spawn EAGAIN');
  const taking = pool.take(WISH);
  await settle(1_000);
  expect(executor.of(await taking)).toBe(executor.made[1]);
});

test('the pool replaces a parked process that dies, with growing delays if processes keep dying', async () => {
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

test('the pool rejects a run with the reason when no process can be started, and recovers afterwards', async () => {
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

test('the pool rejects a run with the output of its process if that ends while it loads', async () => {
  executor.parksAtOnce = false;
  open({ parked: 0 });
  const refused = expect(pool.take(WISH)).rejects.toThrow('was killed by SIGKILL while it was loaded. no space');
  await settle(20);
  for (const start of [0, 1]) {
    const loading = executor.made[start] as ProcessStandIn;
    (loading.process.stderr as PassThrough).write('no space\n');
    await settle(20);
    loading.dies();
    await settle(50);
  }
  await refused;
});

test('the pool starts another process for a run when the first one fails to start', async () => {
  executor.parksAtOnce = false;
  open({ parked: 0 });
  const taking = pool.take(WISH);
  await settle(20);
  executor.made[0]?.dies();
  await settle(50);
  executor.made[1]?.parks();
  expect(executor.of(await taking)).toBe(executor.made[1]);
});

test('the pool gives no run a parked process that has died, even before its end is reported', async () => {
  const ended = spawn('true');
  const identity = identify(ended.pid ?? 0, null);
  await once(ended, 'close');
  open();
  await settle();
  const [first, second] = executor.alive as [ProcessStandIn, ProcessStandIn];
  Object.assign(first.process, { identity });
  expect(executor.of(await pool.take(WISH))).toBe(second);
});

test('when a run is over before its process has started, the pool rejects it and parks the process', async () => {
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

test('the pool neither parks processes nor keeps warm ones while free memory is low', async () => {
  open({ free: 255 * 1024 * 1024 });
  await settle();
  expect(executor.made).toHaveLength(0);
  const [taken] = await Promise.all([pool.take({ ...WISH, key: 'a' }), settle(100)]);
  taken.keep();
  await settle(20);
  expect(executor.alive).toHaveLength(0);
});

describe('a warm process', () => {
  const WARM = { ...WISH, key: 'a' };

  async function kept(wish: ProcessWish): Promise<ProcessStandIn> {
    const taken = await Promise.all([pool.take(wish), settle(100)]).then(([process]) => process);
    taken.keep();
    return executor.of(taken);
  }

  test('is ended when the pool keeps more than 16, oldest first', async () => {
    open({ parked: 0, size: 20 });
    const all: ProcessStandIn[] = [];
    for (let n = 0; n <= 16; n += 1) all.push(await kept({ ...WISH, key: String(n) }));
    await settle(20);
    expect(all.map(({ isGone }) => isGone)).toEqual(all.map((_, n) => n === 0));
  });

  test('serves the next run with the same warm key, one at a time, and no other run', async () => {
    open();
    const first = await kept(WARM);
    const others = [await pool.take({ ...WISH, key: 'b' }), await pool.take(WISH)];
    expect(others.map(taken => executor.of(taken))).not.toContain(first);
    const again = await pool.take(WARM);
    expect([executor.of(again), again.run]).toEqual([first, 2]);
    const [beside] = await Promise.all([pool.take(WARM), settle(100)]);
    expect([executor.of(beside) === first, beside.run]).toEqual([false, 1]);
  });

  test('is ended at once if its run had no warm key', async () => {
    open();
    const process = await kept(WISH);
    await settle(20);
    expect(process.isGone).toBe(true);
  });

  test('is frozen while it waits for a run, and thawed for the next one', async () => {
    open();
    const process = await kept(WARM);
    await settle(900);
    expect(process.isFrozen).toBe(false);
    await settle(200);
    expect(process.isFrozen).toBe(true);
    const taken = await pool.take(WARM);
    expect([executor.of(taken), process.isFrozen]).toEqual([process, false]);
    await settle(2_000);
    expect(process.isFrozen).toBe(false);
  });

  test('is ended when it cannot be frozen', async () => {
    open();
    const process = await kept(WARM);
    process.cannotFreeze = true;
    await settle(1_100);
    expect(process.isGone).toBe(true);
  });

  test('is ended when no run needs it within 30 seconds', async () => {
    open();
    const process = await kept(WARM);
    await settle(31_000);
    expect(process.isGone).toBe(true);
  });

  test('serves no run after it died or reached a limit', async () => {
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

  test('is ended when a run needs its slot because none is free, oldest first', async () => {
    open({ parked: 0, size: 2 });
    const [first, second] = [await kept(WARM), await kept({ ...WISH, key: 'b' })];
    const [taken] = await Promise.all([pool.take({ ...WISH, key: 'c' }), settle(100)]);
    expect([first.isGone, second.isGone, taken.run]).toEqual([true, false, 1]);
  });
});

test('the watchdog learns which processes end with the lease: those of retryable runs, and no warm ones that wait', async () => {
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

test('processes that start slowly in one environment do not delay runs of another environment', async () => {
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

test('the pool rejects a run when all slots are taken', async () => {
  open({ parked: 0, size: 1 });
  await Promise.all([pool.take(WISH), settle(50)]);
  const refused = expect(pool.take(WISH)).rejects.toThrow('All process slots of this worker (1) are taken.');
  await settle(50);
  await refused;
});

test('the pool stops waiting for a process that cannot be killed after 10 s, and never reuses its slot', async () => {
  open({ parked: 0, size: 1 });
  const stuck = await pool.take(WISH);
  executor.of(stuck).process.kill = () => new Promise(() => {});
  const killed = expect(stuck.kill()).rejects.toThrow('still alive 10 s after it was killed');
  const ended = stuck.end();
  await jest.advanceTimersByTimeAsync(10_000);
  await killed;
  await ended;
  await expect(pool.take(WISH)).rejects.toThrow('All process slots');
});

test('the pool ends all unused processes when it closes, and then starts processes only for live runs', async () => {
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
