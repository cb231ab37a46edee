import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { LIMITS, type Offer, pipeLine } from '@trawl/contracts';
import { pino } from 'pino';
import { limitsOf } from '../executor/limits/limit-settings.js';
import type { Libraries } from '../libraries/libraries.js';
import type { Bundles } from '../platform/bundles.js';
import type { Connection } from '../platform/connection.js';
import type { Pool } from '../pool/pool.js';
import { ProcessPipes } from '../process/process-pipes.js';
import type { LimitReached, ProcessEnd, RunProcess } from '../process/run-process.js';
import type { EchoItem, MessageFromRun } from '../protocol/pipe-messages.js';
import type { Result } from '../spool/result.js';
import { RunJournal } from '../spool/run-journal.js';
import { Spool } from '../spool/spool.js';
import { Run } from './run.js';

jest.mock('node:timers/promises', () => jest.requireActual('../../test/faked-timers-promises.js'));

const ID = '0190f7a2-0000-7000-8000-000000000001';
const TIME = '2026-01-02T03:04:05.678Z';
const OFFER: Offer = {
  n: 1,
  id: ID,
  skript: { id: ID, title: 'Test skript' },
  environment: 'nodejs',
  bundle: 'hash',
  lock: null,
  input: null,
  input_secret: null,
  limits: { time_ms: 3_600_000, pause_ms: 3_600_000, output_bytes: 1_000 },
  ends_with_lease: false,
  owner_id: ID,
  warm: false,
  token: 'token',
};

/** Stand-in for a process; the test controls its pipes. `kill` ends the process but leaves its pipes open. */
class ProcessStandIn {
  readonly commands = new PassThrough();
  readonly messages = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly #events = new EventEmitter();

  readonly #process: RunProcess = {
    identity: { pid: 1, started: null, boot: null, uid: null },
    folder: '/run',
    libraries: '/libraries',
    commands: this.commands,
    messages: this.messages,
    stdout: this.stdout,
    stderr: this.stderr,
    ended: once(this.#events, 'end').then(([end]) => end as ProcessEnd),
    limits: limitsOf('nodejs', {}),
    refusals: {},
    limitReached: new Promise(() => {}),
    share: () => {},
    usage: () => null,
    look: () => this.limitReached,
    begin: () => {},
    freeze: () => this.freeze(),
    thaw: () => this.thaw(),
    kill: () => this.kill(),
  };
  /** Until this promise resolves, the pool has no process for a run. */
  isAvailable = Promise.resolve();
  readonly pool = {
    take: async () => {
      await this.isAvailable;
      const pipes = new ProcessPipes(this.#process);
      return { process: this.#process, pipes, run: 1, keep: () => {}, kill: () => this.kill(), end: async () => {} };
    },
  } as unknown as Pool;

  /** The limit that the run has reached since the worker looked last. */
  limitReached: LimitReached | null = null;

  freeze = async (): Promise<void> => {};

  thaw = async (): Promise<void> => {};

  kill = async (): Promise<void> => {
    this.#events.emit('end', { code: null, signal: 'SIGKILL' });
  };

  /** Resolves when the run has begun. */
  async started(): Promise<void> {
    await once(this.commands, 'readable');
    this.commands.read();
  }

  async says(message: MessageFromRun, data?: Buffer): Promise<void> {
    this.messages.write(pipeLine({ run: 1, ...message }, data));
    await new Promise(setImmediate);
  }
}

let folder: string;
let standIn: ProcessStandIn;
let spool: Spool;
let silence: { isOn: boolean; ms: number };
/** The reasons for waiting that the run has reported to the platform. */
let waits: (string | null)[];

beforeEach(() => {
  jest.useFakeTimers({
    doNotFake: ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'],
  });
  folder = mkdtempSync(join(tmpdir(), 'trawl-run-'));
  standIn = new ProcessStandIn();
  silence = { isOn: false, ms: 10_000 };
  waits = [];
  const failed = (error: unknown) => {
    throw error;
  };
  spool = Spool.create(ID, { runs: folder, journal: new RunJournal(join(folder, 'runs.jsonl')), failed });
});

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

/** Records the waits that the run reports. Never answers storage calls. */
const deliver = (event: string, frame: (sendings: number) => { waiting_for: string | null }) => {
  if (event !== 'state') return new Promise(() => {});
  waits.push(frame(0).waiting_for);
  return Promise.resolve({});
};

/** Offers a run. Returns the run and the promise of its result. */
function offered(timeMs = OFFER.limits.time_ms): { run: Run; result: Promise<Result> } {
  const limits = { ...OFFER.limits, time_ms: timeMs };
  const run = new Run({ ...OFFER, limits, ends_with_lease: true }, spool, {
    pool: standIn.pool,
    libraries: { has: () => true } as unknown as Libraries,
    bundles: { jsonOf: async () => ({ codeJson: '""', filesJson: '[]', node: 24 }) } as unknown as Bundles,
    records: { save: async () => {}, load: async () => {} },
    connection: { show: () => {}, deliver } as unknown as Connection,
    silence,
    worker: { id: ID, name: 'test worker' },
    log: pino({ level: 'silent' }),
  });
  return { run, result: run.execute() };
}

/** Offers a run and waits until it has begun. */
async function begin(timeMs?: number): Promise<{ run: Run; result: Promise<Result> }> {
  const { run, result } = offered(timeMs);
  await standIn.started();
  return { run, result };
}

/**
 * Advances the fake time until the run is over. The pipes of its process stay open, so the run ends after the time for
 * which it waits for them.
 */
async function over(result: Promise<Result>): Promise<Result> {
  let isOver = false;
  void result.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await jest.advanceTimersByTimeAsync(100);
    await new Promise(setImmediate);
  }
  return result;
}

test('echoes and printed lines that arrive after the end of a run are dropped', async () => {
  const { result } = await begin();
  await standIn.says({ t: 'echoes', items: [['log', 'in time', TIME]] });
  await standIn.says({ t: 'settled', output: '1' });
  expect(await over(result)).toMatchObject({ action: 'end', output: '1', last_seq: 1, last_chunk: 1 });
  standIn.stdout.write('too late\n');
  await standIn.says({ t: 'echoes', items: [['log', 'too late', TIME]] });
  expect(await spool.read(1, 10)).toHaveLength(1);
});

test('a run that the watchdog ends because the platform is silent ends with `worker_lost`', async () => {
  const { result } = await begin();
  silence.isOn = true;
  await standIn.kill();
  expect(await over(result)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
});

test.each([
  ['its process ends', () => standIn.kill()],
  ['its time is up first', async () => {}],
  ['it fails', () => standIn.says({ t: 'failed', code: 'exception', stack: 'Error: thrown' })],
])('a stopped run has the action `stop`, even if %s', async (_what, happens) => {
  const { run, result } = await begin(1_000);
  await run.control(1, 'stop');
  await happens();
  expect(await over(result)).toMatchObject({ action: 'stop', error_code: null });
});

describe('a run that has reached its time limit ends with time_limit', () => {
  const LATE: [what: string, happens: (run: Run) => Promise<unknown>][] = [
    ['main.js returns', () => standIn.says({ t: 'settled', output: '1' })],
    ['it fails', () => standIn.says({ t: 'failed', code: 'exception', stack: 'Error: thrown' })],
    ['its process ends', () => standIn.kill()],
    ['it is stopped', run => run.control(1, 'stop')],
    ['it is paused and resumed', async run => [await run.control(1, 'pause'), await run.control(2, 'resume')]],
  ];

  test.each(LATE)('although %s while the worker asks where it is', async (_what, happens) => {
    const { run, result } = await begin(1_000);
    await jest.advanceTimersByTimeAsync(1_000);
    await happens(run);
    expect(await over(result)).toMatchObject({ action: 'error', error_code: 'time_limit', output: null });
  });

  test.each(LATE)('although %s before the timer has its turn', async (_what, happens) => {
    const { run, result } = await begin(1_000);
    const now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now + 1_000);
    await happens(run);
    expect(await over(result)).toMatchObject({ action: 'error', error_code: 'time_limit', output: null });
  });

  test('and the error says that main.js returned too late', async () => {
    const { result } = await begin(1_000);
    await jest.advanceTimersByTimeAsync(1_000);
    await standIn.says({ t: 'settled', output: '1' });
    expect((await over(result)).error_stack).toMatch(/1000 ms .* main\.js returned after that/);
  });

  test('but not if main.js returns just before', async () => {
    const { result } = await begin(1_000);
    const now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now + 900);
    await standIn.says({ t: 'settled', output: '1' });
    expect(await over(result)).toMatchObject({ action: 'end', output: '1' });
  });
});

test('a run that reached a limit after the worker’s last check fails, although main.js returned', async () => {
  const { result } = await begin();
  const now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => now + 300);
  standIn.limitReached = { code: 'cpu_limit', text: 'too much' };
  await standIn.says({ t: 'settled', output: '1' });
  expect(await over(result)).toMatchObject({ action: 'error', error_code: 'cpu_limit', output: null });
});

test('a run that was paused for too long fails, although main.js returns as soon as it is thawed', async () => {
  standIn.thaw = () => standIn.says({ t: 'settled', output: '1' });
  const { run, result } = await begin();
  await run.control(1, 'pause');
  await jest.advanceTimersByTimeAsync(OFFER.limits.pause_ms);
  expect(await over(result)).toMatchObject({ action: 'error', error_code: 'pause_limit', output: null });
});

test('stopping a run does not wait for a pause that hangs, nor return its error', async () => {
  let givesUp: (error: Error) => void = () => {};
  standIn.freeze = () =>
    new Promise((_, reject) => {
      givesUp = reject;
    });
  const { run, result } = await begin();
  const paused = run.control(1, 'pause');
  expect(await run.control(2, 'stop')).toEqual({ action: 'stop' });
  expect(await over(result)).toMatchObject({ action: 'stop' });
  givesUp(new Error('it cannot be frozen'));
  expect(await paused).toEqual({ action: 'stop' });
});

test('a run that is paused for too long ends with `pause_limit`', async () => {
  const { run, result } = await begin();
  await run.control(1, 'pause');
  await jest.advanceTimersByTimeAsync(OFFER.limits.pause_ms - 1_000);
  expect(spool.result).toBeUndefined();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await over(result)).toMatchObject({ action: 'error', error_code: 'pause_limit' });
});

test('a failed run ends with its own error even if its process cannot be killed', async () => {
  standIn.kill = () => Promise.reject(new Error('it is still there'));
  const { result } = await begin();
  await standIn.says({ t: 'failed', code: 'exception', stack: 'Error: thrown' });
  expect(await over(result)).toMatchObject({ action: 'error', error_code: 'exception' });
});

test('a run with unanswered storage calls ends when its process ends', async () => {
  const { result } = await begin();
  const op = { collection: 'books', method: 'find' } as const;
  const args = Buffer.from('arguments');
  for (let call = 0; call < 100; call += 1) await standIn.says({ t: 'storage', call, op }, args);
  await standIn.kill();
  expect(await over(result)).toMatchObject({ action: 'error', error_code: 'process_ended' });
});

test('the worker reports that a run waits for its process, until the process is available', async () => {
  let comes = () => {};
  standIn.isAvailable = new Promise(resolve => {
    comes = resolve;
  });
  const { result } = offered();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(waits).toEqual(['process_starting']);
  comes();
  await standIn.started();
  await standIn.says({ t: 'settled', output: '1' });
  await over(result);
  expect(waits).toEqual(['process_starting', null]);
  expect(jest.getTimerCount()).toBe(0);
});

test('a run that begins at once reports no wait, and leaves no timer behind', async () => {
  const { result } = await begin();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(waits).toEqual([]);
  await standIn.says({ t: 'echoes', items: [['log', 'text', TIME]] });
  await standIn.says({ t: 'settled', output: '1' });
  await over(result);
  expect(jest.getTimerCount()).toBe(0);
});

describe('a run that has reached the limit of saved echoes', () => {
  const KEPT_BYTES = 1024 * 1024;
  const ROW: EchoItem = ['log', 'x'.repeat(16 * 1024), TIME];

  beforeEach(() => {
    jest.replaceProperty(LIMITS as { echoBytesPerRun: number }, 'echoBytesPerRun', KEPT_BYTES);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Sends this many times as many echoes as the worker keeps. */
  async function floods(times: number): Promise<void> {
    for (let bytes = 0; bytes < times * KEPT_BYTES; bytes += ROW[1].length) {
      await standIn.says({ t: 'echoes', items: [ROW] });
      // Wait until the worker has read everything, because it reads slowly and writes to the disk.
      while (standIn.messages.readableLength > 0) {
        await jest.advanceTimersByTimeAsync(20);
        await new Promise(setImmediate);
      }
    }
  }

  test('ends with `echo_limit` when it has sent the same amount again', async () => {
    const { result } = await begin();
    await floods(2.1);
    expect(await over(result)).toMatchObject({
      action: 'error',
      error_code: 'echo_limit',
      error_stack: expect.stringContaining('64 MB'),
    });
  });

  test('does not end when it sends less than the same amount again', async () => {
    const { result } = await begin();
    await floods(1.9);
    await standIn.says({ t: 'settled', output: '1' });
    expect(await over(result)).toMatchObject({ action: 'end', output: '1' });
  });
});
