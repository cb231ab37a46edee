import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { leaseTimes } from '@trawl/contracts';
import { restoredWorker } from './connected-worker.js';
import { gone, isAlive } from './left-processes.js';
import { ANNOUNCE, announcedPids, until } from './run-processes.js';
import type { WorkerProcess } from './worker-process.js';

const isRoot = process.getuid?.() === 0;
const { platform, worker: current } = restoredWorker();
const { leaseMs, silenceMs } = leaseTimes(3_000);
platform.leaseMs = leaseMs;
let worker: WorkerProcess;
beforeEach(() => {
  worker = current();
});
afterEach(() => worker.signal('SIGCONT'));

/** A skript that starts a child process in a new session. The skript itself then loops forever. */
const LEAVES_A_CHILD = `${ANNOUNCE}module.exports = () => {
  const options = { detached: true, stdio: 'ignore' };
  const child = require('node:child_process').spawn('/bin/sh', ['-c', 'while :; do sleep 1; done'], options);
  announce(child.pid);
  for (;;);
};`;

const pidsOf = (id: string): Promise<number[]> => announcedPids(platform, id);

async function watchdogPid(isWanted: (pid: number) => boolean = () => true): Promise<number> {
  for (;;) {
    const text = await readFile(join(worker.data, 'worker', 'watchdog.json'), 'utf8');
    const pid = text.endsWith('}') ? JSON.parse(text).pid : 0;
    if (pid > 0 && isWanted(pid)) return pid;
    await pause(10);
  }
}

// Only as root: without user ids for runs, the worker cannot know to which run a process in another session belongs.
(isRoot ? test : test.skip)(
  'a watchdog that dies is restarted, and kills all processes of runs when the worker is killed',
  async () => {
    const early = await pidsOf(await platform.start(LEAVES_A_CHILD));
    const first = await watchdogPid();
    process.kill(first, 'SIGKILL');
    const second = await watchdogPid(pid => pid !== first);
    const late = await pidsOf(await platform.start(LEAVES_A_CHILD));
    await worker.end('SIGKILL');
    for (const pid of [...early, ...late, second]) await gone(pid);
    expect(worker.output).toContain('The worker ended without ending its');
  },
);

test('the watchdog of a frozen worker kills only runs that have retries left, before the lease expires', async () => {
  const retried = await platform.start(LEAVES_A_CHILD, { ends_with_lease: true });
  const other = await platform.start(LEAVES_A_CHILD, { ends_with_lease: false });
  const [[run, child], [otherRun]] = [await pidsOf(retried), await pidsOf(other)] as [number[], number[]];
  worker.signal('SIGSTOP');
  const deadline = performance.now() + leaseMs;
  while (isAlive(run as number) && performance.now() < deadline) await pause(50);
  await gone(run as number);
  if (isRoot) await gone(child as number);
  expect(isAlive(otherRun as number)).toBe(true);
  worker.signal('SIGCONT');
  expect(await platform.ended(retried)).toMatchObject({ action: 'error' });
  expect(isAlive(otherRun as number)).toBe(true);
});

const ANNOUNCES = `${ANNOUNCE}module.exports = () => {
  announce();
  return new Promise(() => setInterval(() => {}, 1_000));
};`;

const pidOf = async (id: string): Promise<number> => (await announcedPids(platform, id))[0] as number;

test('a worker without connection ends only runs that have retries left, before its lease expires', async () => {
  const [retried, other] = [
    await platform.start(ANNOUNCES, { ends_with_lease: true }),
    await platform.start(ANNOUNCES, { ends_with_lease: false }),
  ];
  const [retriedPid, otherPid] = [await pidOf(retried), await pidOf(other)];
  await platform.close();
  for (const deadline = performance.now() + leaseMs; isAlive(retriedPid) && performance.now() < deadline; )
    await pause(50);
  expect(isAlive(retriedPid)).toBe(false);
  await gone(retriedPid);
  expect(isAlive(otherPid)).toBe(true);
  // The process is gone before the worker has saved the result.
  await worker.said(`"execution":"${retried}","action":"error"`);
  await platform.open();
  expect(await platform.ended(retried)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
  expect(platform.hellos.at(-1)?.live).toEqual([other]);
  expect(isAlive(otherPid)).toBe(true);
});

test('a worker that was frozen beyond the silence period refuses an offer from before', async () => {
  const [pid, refused, taken] = [worker.pid, randomUUID(), randomUUID()];
  process.kill(pid, 'SIGSTOP');
  const answer = platform.offer(refused, ANNOUNCES);
  await pause(silenceMs + 500);
  process.kill(pid, 'SIGCONT');
  expect(await answer).toEqual({ refused: 'silent' });
  await until(
    () => platform.offer(taken, ANNOUNCES),
    said => 'accepted' in said,
  );
  expect(platform.finishes.has(refused)).toBe(false);
  await platform.control({ id: taken, cmd_seq: 1, cmd: 'stop' });
  await platform.ended(taken);
});

test('the watchdog of a worker that shuts down ends too, and kills no run', async () => {
  const pid = await watchdogPid();
  const id = await platform.start('module.exports = () => new Promise(() => setInterval(() => {}, 1_000));');
  process.kill(pid, 'SIGTERM');
  expect(await worker.end('SIGTERM')).toBe(0);
  await gone(pid);
  expect(await platform.ended(id)).toMatchObject({
    error_code: 'worker_lost',
    error_stack: expect.stringContaining('shut down'),
  });
  expect(worker.output).not.toContain('The worker ended without ending its');
});
