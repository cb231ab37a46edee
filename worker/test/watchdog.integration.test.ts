import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { restoredWorker } from './connected-worker.js';
import { gone, isAlive } from './left-processes.js';
import { ANNOUNCE, announcedPids } from './run-processes.js';
import type { WorkerProcess } from './worker-process.js';

const isRoot = process.getuid?.() === 0;
const { platform, worker: current } = restoredWorker();
platform.leaseMs = 3_000;
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
(isRoot ? test : test.skip)('kills all processes of runs after the worker was killed, and ends', async () => {
  const pids = [...(await pidsOf(await platform.start(LEAVES_A_CHILD))), await watchdogPid()];
  await worker.end('SIGKILL');
  for (const pid of pids) await gone(pid);
  expect(worker.output).toContain('The worker ended without ending its');
});

(isRoot ? test : test.skip)('is restarted when it dies, and knows the live runs', async () => {
  const pids = await pidsOf(await platform.start(LEAVES_A_CHILD));
  const first = await watchdogPid();
  process.kill(first, 'SIGKILL');
  const second = await watchdogPid(pid => pid !== first);
  await worker.end('SIGKILL');
  for (const pid of [...pids, second]) await gone(pid);
});

test('kills the runs with retries left of a frozen worker before its lease expires, and no others', async () => {
  const retried = await platform.start(LEAVES_A_CHILD, { ends_with_lease: true });
  const other = await platform.start(LEAVES_A_CHILD, { ends_with_lease: false });
  const [[run, child], [otherRun]] = [await pidsOf(retried), await pidsOf(other)] as [number[], number[]];
  worker.signal('SIGSTOP');
  const deadline = performance.now() + platform.leaseMs;
  while (isAlive(run as number) && performance.now() < deadline) await pause(50);
  await gone(run as number);
  if (isRoot) await gone(child as number);
  expect(isAlive(otherRun as number)).toBe(true);
  worker.signal('SIGCONT');
  expect(await platform.ended(retried)).toMatchObject({ action: 'error' });
  expect(isAlive(otherRun as number)).toBe(true);
});

test('ends with a worker that shuts down, and does nothing', async () => {
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
