import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gone, isAlive } from './left-processes.js';
import { PlatformStandIn } from './platform-stand-in.js';
import { ANNOUNCE, announcedPids } from './run-processes.js';
import { WorkerProcess } from './worker-process.js';

jest.setTimeout(60_000);

const isRoot = process.getuid?.() === 0;
const platform = new PlatformStandIn();
let worker: WorkerProcess;

beforeEach(async () => {
  await platform.open();
  worker = await WorkerProcess.create(platform.url);
  worker.start();
  await platform.connected();
});

afterEach(async () => {
  worker.signal('SIGCONT');
  await worker.remove();
  await platform.close();
});

/** Begins a child in a session of its own, which nothing ties to the run, and is in a loop itself. */
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

// Without a user of their own, processes that began a session cannot be told from others.
(isRoot ? test : test.skip)(
  'nothing of a run outlives a worker that is killed, and neither does its watchdog',
  async () => {
    const pids = [...(await pidsOf(await platform.start(LEAVES_A_CHILD))), await watchdogPid()];
    await worker.end('SIGKILL');
    for (const pid of pids) await gone(pid);
    expect(worker.output).toContain('The worker ended without ending its');
  },
);

(isRoot ? test : test.skip)('a watchdog that dies is started again, and knows the runs there are', async () => {
  const pids = await pidsOf(await platform.start(LEAVES_A_CHILD));
  const first = await watchdogPid();
  process.kill(first, 'SIGKILL');
  const second = await watchdogPid(pid => pid !== first);
  await worker.end('SIGKILL');
  for (const pid of [...pids, second]) await gone(pid);
});

test('a worker that stands still loses the runs that may be tried again before its lease is over, and no others', async () => {
  const retried = await platform.start(LEAVES_A_CHILD, { ends_with_lease: true });
  const other = await platform.start(LEAVES_A_CHILD, { ends_with_lease: false });
  const [[run, child], [otherRun]] = [await pidsOf(retried), await pidsOf(other)] as [number[], number[]];
  worker.signal('SIGSTOP');
  // The lease has 12 s.
  const deadline = performance.now() + 12_000;
  while (isAlive(run as number) && performance.now() < deadline) await pause(50);
  await gone(run as number);
  if (isRoot) await gone(child as number);
  expect(isAlive(otherRun as number)).toBe(true);
  worker.signal('SIGCONT');
  expect(await platform.ended(retried)).toMatchObject({ action: 'error' });
  expect(isAlive(otherRun as number)).toBe(true);
});

test('the watchdog ends with a worker that ends in order, and leaves that to it', async () => {
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
