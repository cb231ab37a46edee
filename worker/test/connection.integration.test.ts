import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { HEARTBEAT_MS, LEASE_MS, PROTOCOL, type StorageAnswer, type Welcome } from '@trawl/contracts';
import { pino } from 'pino';
import { Connection } from '../src/platform/connection.js';
import { PlatformStandIn, WORKER_KEY } from './platform-stand-in.js';

jest.mock('node:timers/promises', () => jest.requireActual('./faked-timers-promises.js'));

const RUN = '0190f7a2-0000-7000-8000-000000000001';
const OPERATION = { collection: 'books', method: 'find', args: Buffer.from('arguments'), resend: false } as const;

const platform = new PlatformStandIn();
const welcomes: Welcome[] = [];
/** The reasons in the lines of the log. */
const logged: string[] = [];
let connection: Connection;

beforeEach(async () => {
  await platform.open();
  connection = new Connection(
    platform.url,
    WORKER_KEY,
    {
      hello: () => ({
        protocol: PROTOCOL,
        version: '1.0.0',
        boot_id: RUN,
        previous_boot_id: null,
        environments: ['nodejs', 'browser'],
        sandbox: 'none',
        sandbox_layers: [],
        chromium: null,
        nodes: [],
        slots: 1,
        live: [],
        done: [],
      }),
      answered: () => {},
      welcome: welcome => welcomes.push(welcome),
      superseded: () => {},
      load: () => ({
        slots: 1,
        free: 1,
        load: 0,
        usage: { cpu: 0, memory_used: 1, memory_total: 2, disk_free: 3, disk_total: 4 },
      }),
      offer: (_offer, acknowledge) => acknowledge({ refused: 'full' }),
      control: ({ cmd_seq }, acknowledge) => acknowledge({ cmd_seq, action: 'stop' }),
      watch: () => {},
      restart: (_restart, acknowledge) => acknowledge({ restarting: true }),
      answer: (_answer, acknowledge) => acknowledge({ result: 'unknown' }),
      echoRead: (_request, acknowledge) => acknowledge({ items: [] }),
      exchangesRead: (_request, acknowledge) => acknowledge({ bytes: 0, gz: new Uint8Array() }),
    },
    pino({ base: null }, { write: (line: string) => logged.push(JSON.parse(line).reason) }),
  );
});

afterEach(async () => {
  jest.useRealTimers();
  connection.close();
  await platform.close();
  platform.protocol = PROTOCOL;
  platform.extra = {};
});

let operations = 0;

function callStorage(signal?: AbortSignal): Promise<{ result: Uint8Array }> {
  operations += 1;
  const frame = { id: RUN, op_id: operations, token: 'token', op: OPERATION };
  return connection.deliver('storage', () => frame, signal);
}

type Timer = 'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval';

/** Replaces only these timers by fake ones. All others stay real, because the sockets need them. */
function fakeOnly(...timers: Timer[]): void {
  const all = [
    'Date',
    'hrtime',
    'nextTick',
    'performance',
    'queueMicrotask',
    'setImmediate',
    'clearImmediate',
  ] as const;
  const rest = (['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const).filter(
    timer => !timers.includes(timer),
  );
  jest.useFakeTimers({ doNotFake: [...all, ...rest] });
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

test('the worker’s connection keeps no answers in memory', async () => {
  connection.open();
  const answers: WeakRef<object>[] = [];
  for (let n = 0; n < 50; n += 1) answers.push(new WeakRef(await callStorage()));
  collectGarbage();
  // A few of the last answers may still be in memory, because they may be on the stack.
  expect(answers.filter(answer => answer.deref() !== undefined).length).toBeLessThan(10);
});

test('a frame listens to its abort signal only while it waits for the platform’s welcome', async () => {
  const { signal } = new AbortController();
  const calls = Array.from({ length: 5 }, () => callStorage(signal));
  expect(getEventListeners(signal, 'abort')).toHaveLength(5);
  connection.open();
  await Promise.all(calls);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('a frame that waits for the platform’s welcome rejects with the reason of its abort signal', async () => {
  const over = new AbortController();
  const call = callStorage(over.signal);
  over.abort(new Error('the run is over'));
  await expect(call).rejects.toThrow('the run is over');
});

test('the worker repeats a frame after a delay when the platform answers that it is unavailable', async () => {
  connection.open();
  await callStorage();
  platform.answerStorage = () => ({ error: { code: 'unavailable', message: 'The database is being restarted.' } });
  fakeOnly('setTimeout', 'clearTimeout');
  const call = callStorage();
  const sendings = () => platform.storage.filter(({ op_id }) => op_id === operations).length;
  await platform.until(() => sendings() > 0, 'the frame');
  // Answers arrive in order. So when these have arrived, the refusal has arrived too, and there was enough time for
  // many more attempts.
  for (let n = 0; n < 5; n += 1) await platform.read(RUN, 1, 1);
  expect(sendings()).toBe(1);
  const answer = { result: Buffer.from('result') };
  platform.answerStorage = () => answer;
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await call).toEqual(answer);
  expect(sendings()).toBe(2);
});

test('the worker gives up a frame that the platform fails to handle each time, after nine attempts in two minutes', async () => {
  connection.open();
  await callStorage();
  const error = { code: 'unavailable' as const, message: 'Send it again.', is_outage: false };
  platform.answerStorage = () => ({ error }) as never;
  fakeOnly('setTimeout', 'clearTimeout');
  const given = callStorage().catch(reason => reason);
  const sendings = () => platform.storage.filter(({ op_id }) => op_id === operations).length;
  for (const [index, seconds] of [1, 2, 4, 8, 16, 30, 30, 30].entries()) {
    await platform.until(() => sendings() > index, 'the frame');
    // Answers arrive in order, so the refusal has arrived too.
    await platform.read(RUN, 1, 1);
    await jest.advanceTimersByTimeAsync(seconds * 1_000 - 1);
    await platform.read(RUN, 1, 1);
    expect(sendings()).toBe(index + 1);
    await jest.advanceTimersByTimeAsync(1);
  }
  expect(await given).toMatchObject({ code: 'unavailable', refusal: error });
  expect(sendings()).toBe(9);
});

test('a repeated frame is marked as a repetition only if the platform may have handled it before', async () => {
  const marks: boolean[] = [];
  const call = () => {
    operations += 1;
    const frame = { id: RUN, op_id: operations, token: 'token', op: OPERATION };
    const build = (isResend: boolean) => {
      marks.push(isResend);
      return frame;
    };
    return connection.deliver('storage', build);
  };
  const answer = { result: Buffer.from('result') };
  const refusals: StorageAnswer[] = [];
  platform.answerStorage = () => refusals.pop() ?? answer;
  connection.open();
  await callStorage();
  platform.raiseEpoch();
  refusals.push({ error: { code: 'unavailable', message: 'The database is being restarted.' } });
  await call();
  expect(marks).toEqual([false, false, false]);

  let isCut = false;
  platform.answerStorage = () => {
    if (isCut) return answer;
    isCut = true;
    platform.cut();
    return null;
  };
  marks.length = 0;
  await call();
  expect(marks).toEqual([false, true]);
});

test('the worker sends large chunks of echoes one after another, so that they do not delay heartbeats', async () => {
  fakeOnly('setInterval', 'clearInterval');
  connection.open();
  await callStorage();
  platform.unanswered = 'echo_chunk';
  const gz = Buffer.alloc(400 * 1024);
  const chunks = [1, 2, 3].map(n =>
    connection.deliverChunk({ id: RUN, n, from_seq: n, to_seq: n, gz, sha: '0'.repeat(64) }),
  );
  const there = () => [...(platform.chunks.get(RUN)?.keys() ?? [])];
  await platform.until(() => there().length > 0, 'the first chunk');
  // Frames arrive in order. So when these have arrived, all frames that were sent before have arrived too.
  for (let n = 0; n < 5; n += 1) await callStorage();
  expect(there()).toEqual([1]);
  platform.unanswered = null;
  jest.advanceTimersByTime(LEASE_MS);
  await Promise.all(chunks);
  expect(there()).toEqual([1, 2, 3]);
});

test('the worker reconnects when the platform does not answer its heartbeats', async () => {
  fakeOnly('setInterval', 'clearInterval');
  const [connections, hellos] = [platform.connections, platform.hellos.length];
  connection.open();
  await callStorage();
  platform.acknowledging = false;
  jest.advanceTimersByTime(LEASE_MS);
  platform.acknowledging = true;
  await platform.until(() => platform.hellos.length === hellos + 2, 'a second hello');
  expect(platform.connections).toBe(connections + 2);
});

test('the worker keeps a connection on which the platform answers its heartbeats', async () => {
  fakeOnly('setInterval', 'clearInterval');
  connection.open();
  await callStorage();
  const connections = platform.connections;
  for (let n = 0; n < 8; n += 1) {
    jest.advanceTimersByTime(HEARTBEAT_MS);
    await callStorage();
  }
  expect(platform.connections).toBe(connections);
});

test('the worker sends a new hello on the same connection when the platform has a newer epoch', async () => {
  fakeOnly('setInterval', 'clearInterval');
  connection.open();
  await callStorage();
  const [connections, hellos] = [platform.connections, platform.hellos.length];
  platform.raiseEpoch();
  platform.welcome.kill = [RUN];
  jest.advanceTimersByTime(HEARTBEAT_MS);
  await platform.until(() => platform.hellos.length === hellos + 1, 'a second hello');
  await callStorage();
  expect(welcomes.at(-1)?.kill).toEqual([RUN]);
  expect(platform.connections).toBe(connections);
});

test('the worker works with a platform of the next protocol, which sends unknown fields', async () => {
  platform.protocol = PROTOCOL + 1;
  platform.extra = { added_later: { deep: [1, null] } };
  connection.open();
  await callStorage();
  expect(welcomes.at(-1)).toMatchObject({ protocol: PROTOCOL + 1 });
});

test('the worker refuses a platform two protocols newer, and logs once to update the worker', async () => {
  platform.protocol = PROTOCOL + 2;
  const [hellos, before] = [platform.hellos.length, welcomes.length];
  connection.open();
  await platform.until(() => platform.hellos.length === hellos + 2, 'a second try');
  expect(welcomes).toHaveLength(before);
  expect(logged.filter(reason => reason?.includes('Update the worker to the version of Trawl'))).toHaveLength(1);
});
