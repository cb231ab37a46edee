import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { LIMITS, type Offer } from '@trawl/contracts';
import { pino } from 'pino';
import type { Bundles } from './bundles.js';
import type { Connection } from './connection.js';
import type { ProcessEnd, RunProcess } from './executor/executor.js';

import { limitsOf } from './executor/limits.js';
import type { Libraries } from './libraries/libraries.js';

import type { EchoItem, MessageFromRun } from './pipe-messages.js';
import type { Pool } from './pool.js';
import { ProcessPipes } from './process-pipes.js';
import { Run } from './run.js';
import { RunJournal } from './run-journal.js';
import { Spool } from './spool.js';
import type { Result } from './spool-journal.js';

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
  limits: { time_ms: 3_600_000, output_bytes: 1_000 },
  ends_with_lease: false,
  owner_id: ID,
  warm: false,
  token: 'token',
};

/** A process whose pipes are the test's own. It ends when it is killed; what holds its pipes may go on. */
class ProcessStandIn {
  readonly commands = new PassThrough();
  readonly messages = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly #events = new EventEmitter();

  readonly #process: RunProcess = {
    mark: { pid: 1, started: null, boot: null, uid: null },
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
    look: () => null,
    begin: () => {},
    freeze: () => this.freeze(),
    thaw: async () => {},
    kill: () => this.kill(),
  };
  /** When the pool has it. */
  isThere = Promise.resolve();
  readonly pool = {
    take: async () => {
      await this.isThere;
      const pipes = new ProcessPipes(this.#process);
      return { process: this.#process, pipes, run: 1, keep: () => {}, kill: () => this.kill(), end: async () => {} };
    },
  } as unknown as Pool;

  freeze = async (): Promise<void> => {};

  kill = async (): Promise<void> => {
    this.#events.emit('end', { code: null, signal: 'SIGKILL' });
  };

  /** Resolves when the run has begun. */
  async started(): Promise<void> {
    await once(this.commands, 'readable');
    this.commands.read();
  }

  async says(message: MessageFromRun): Promise<void> {
    this.messages.write(`${JSON.stringify({ run: 1, ...message })}\n`);
    await new Promise(setImmediate);
  }
}

let folder: string;
let standIn: ProcessStandIn;
let spool: Spool;
let isSilent: boolean;
/** What the run was said to wait for. */
let waits: (string | null)[];

beforeEach(() => {
  jest.useFakeTimers({
    doNotFake: ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'],
  });
  folder = mkdtempSync(join(tmpdir(), 'trawl-run-'));
  standIn = new ProcessStandIn();
  isSilent = false;
  waits = [];
  const failed = (error: unknown) => {
    throw error;
  };
  spool = Spool.create(ID, { runs: folder, journal: new RunJournal(join(folder, 'runs.jsonl')), failed });
});

afterEach(() => {
  jest.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

/** Notes states; no storage call is ever answered. */
const deliver = (event: string, frame: (sendings: number) => { waiting_for: string | null }) => {
  if (event !== 'state') return new Promise(() => {});
  waits.push(frame(0).waiting_for);
  return Promise.resolve({});
};

/** A run that is to begin, and what it ends with. */
function offered(timeMs = OFFER.limits.time_ms): { run: Run; result: Promise<Result> } {
  const limits = { ...OFFER.limits, time_ms: timeMs };
  const run = new Run({ ...OFFER, limits, ends_with_lease: true }, spool, {
    pool: standIn.pool,
    libraries: { has: () => true } as unknown as Libraries,
    bundles: { jsonOf: async () => '""' } as unknown as Bundles,
    connection: { show: () => {}, deliver } as unknown as Connection,
    isSilent: () => isSilent,
    worker: { id: ID, name: 'test worker' },
    log: pino({ level: 'silent' }),
  });
  return { run, result: run.toEnd() };
}

/** Begins a run, and gives what it ends with. */
async function begin(timeMs?: number): Promise<{ run: Run; result: Promise<Result> }> {
  const { run, result } = offered(timeMs);
  await standIn.started();
  return { run, result };
}

/** Lets time pass until the run is over: its pipes are held open, and are not waited for without end. */
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

test('what comes through a pipe after the end of a run is not kept', async () => {
  const { result } = await begin();
  await standIn.says({ t: 'echoes', items: [['log', 'in time', TIME]] });
  await standIn.says({ t: 'settled', output: '1' });
  expect(await over(result)).toMatchObject({ action: 'end', output: '1', last_seq: 1, last_chunk: 1 });
  standIn.stdout.write('too late\n');
  await standIn.says({ t: 'echoes', items: [['log', 'too late', TIME]] });
  expect(spool.lastSeq).toBe(1);
});

test('a run that the watchdog has ended says why, before this worker has noticed the silence', async () => {
  const { result } = await begin();
  isSilent = true;
  await standIn.kill();
  expect(await over(result)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
});

test.each([
  ['its process ends', () => standIn.kill()],
  ['its time is up before it has ended', async () => {}],
  ['it fails', () => standIn.says({ t: 'failed', code: 'exception', stack: 'Error: thrown' })],
])('a run that was told to stop has stopped, also when %s', async (_what, happens) => {
  const { run, result } = await begin(1_000);
  await run.control(1, 'stop');
  await happens();
  expect(await over(result)).toMatchObject({ action: 'stop', error_code: null });
});

test('a stop does not wait for a pause that hangs, and is not answered what that is', async () => {
  let givesUp: (error: Error) => void = () => {};
  standIn.freeze = () =>
    new Promise((_, reject) => {
      givesUp = reject;
    });
  const { run, result } = await begin();
  const paused = run.control(1, 'pause');
  expect(await run.control(2, 'stop')).toEqual({ action: 'stop' });
  expect(await over(result)).toMatchObject({ action: 'stop' });
  givesUp(new Error('it does not stand still'));
  expect(await paused).toEqual({ action: 'stop' });
});

test('a run whose process cannot be ended is told to be over all the same', async () => {
  standIn.kill = () => Promise.reject(new Error('it is still there'));
  const { result } = await begin();
  await standIn.says({ t: 'failed', code: 'exception', stack: 'Error: thrown' });
  expect(await over(result)).toMatchObject({ action: 'error', error_code: 'exception' });
});

test('a run whose storage calls are not answered is over when its process is', async () => {
  const { result } = await begin();
  const op = { collection: 'books', method: 'find', args: '{}' };
  for (let call = 0; call < 100; call += 1) await standIn.says({ t: 'storage', call, op } as MessageFromRun);
  await standIn.kill();
  expect(await over(result)).toMatchObject({ action: 'error', error_code: 'process_ended' });
});

test('a run whose process is long in coming says so until it is there', async () => {
  let comes = () => {};
  standIn.isThere = new Promise(resolve => {
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

test('a run that is over leaves no timer behind, and one that has begun at once says nothing of waiting', async () => {
  const { result } = await begin();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(waits).toEqual([]);
  await standIn.says({ t: 'echoes', items: [['log', 'text', TIME]] });
  await standIn.says({ t: 'settled', output: '1' });
  await over(result);
  expect(jest.getTimerCount()).toBe(0);
});

describe('a run that has sent all echoes that are kept', () => {
  const KEPT_BYTES = 1024 * 1024;
  const ROW: EchoItem = ['log', 'x'.repeat(16 * 1024), TIME];

  beforeEach(() => {
    jest.replaceProperty(LIMITS as { echoBytesPerRun: number }, 'echoBytesPerRun', KEPT_BYTES);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Sends so many times what is kept. */
  async function floods(times: number): Promise<void> {
    for (let bytes = 0; bytes < times * KEPT_BYTES; bytes += ROW[1].length) {
      await standIn.says({ t: 'echoes', items: [ROW] });
      // What it says is read in paces, and written to disk.
      while (standIn.messages.readableLength > 0) {
        await jest.advanceTimersByTimeAsync(20);
        await new Promise(setImmediate);
      }
    }
  }

  test('is ended when it has sent as much again', async () => {
    const { result } = await begin();
    await floods(2.1);
    expect(await over(result)).toMatchObject({
      action: 'error',
      error_code: 'echo_limit',
      error_stack: expect.stringContaining('64 MB'),
    });
  });

  test('and says some more is not', async () => {
    const { result } = await begin();
    await floods(1.9);
    await standIn.says({ t: 'settled', output: '1' });
    expect(await over(result)).toMatchObject({ action: 'end', output: '1' });
  });
});
