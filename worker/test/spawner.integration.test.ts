import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import type { GroupEntrance } from '../src/executor/cgroups.js';
import { Spawner } from '../src/executor/spawner.js';
import { gone } from './left-processes.js';
import { PlatformStandIn } from './platform-stand-in.js';
import { ANNOUNCE, announcedPids, until } from './run-processes.js';
import { WorkerProcess } from './worker-process.js';

jest.setTimeout(60_000);

const isRoot = process.getuid?.() === 0;
const asRoot = isRoot && process.platform === 'linux' ? test : test.skip;
const platform = new PlatformStandIn();
let worker: WorkerProcess;

beforeEach(async () => {
  await platform.open();
  worker = await WorkerProcess.create(platform.url);
  worker.start();
  await platform.connected();
});

afterEach(async () => {
  await worker.remove();
  await platform.close();
});

const WAITS = `${ANNOUNCE}module.exports = () => {
  announce();
  return new Promise(() => setInterval(() => {}, 1_000));
};`;

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

function spawnerPid(): number {
  const found = childrenOf(worker.pid).find(pid =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('spawner-process'),
  );
  return found ?? 0;
}

/** Of this worker, in any tree of the kernel's. */
function groups(): string[] {
  const name = `trawl-${createHash('sha256').update(join(worker.data, 'worker')).digest('hex').slice(0, 12)}`;
  const root = '/sys/fs/cgroup';
  const trees = ['.', ...readdirSync(root)]
    .map(tree => join(root, tree))
    .filter(tree => existsSync(join(tree, 'cgroup.procs')));
  return trees.flatMap(tree =>
    readdirSync(tree)
      .filter(entry => entry.startsWith(name))
      .map(entry => join(tree, entry)),
  );
}

asRoot('a spawner that is killed takes its runs along, which are told so, and another goes on', async () => {
  const id = await platform.start(WAITS);
  const [pid = 0] = await announcedPids(platform, id);
  const first = spawnerPid();
  process.kill(first, 'SIGKILL');
  expect(await platform.ended(id)).toMatchObject({ action: 'error', error_code: 'process_ended' });
  await gone(pid);
  expect(await platform.run('module.exports = () => 1;')).toMatchObject({ action: 'end', output: '1' });
  expect(spawnerPid()).not.toBe(first);
});

asRoot('a run that is paused when the spawner is killed does nothing more, also when it is resumed', async () => {
  const id = await platform.start(WAITS);
  const [pid = 0] = await announcedPids(platform, id);
  await platform.control({ id, cmd_seq: 1, cmd: 'pause' });
  const statusOf = (of: number) => readFileSync(`/proc/${of}/status`, 'utf8');
  const first = Number(/^PPid:\t(\d+)/m.exec(statusOf(pid))?.[1]);
  process.kill(spawnerPid(), 'SIGKILL');
  // Frozen, it can only be told to end; when it goes on, that is the first thing that it hears.
  const isToldToEnd = /^ShdPnd:\t[\da-f]{13}1[\da-f]{2}$/m;
  await until(
    () => statusOf(first),
    seen => isToldToEnd.test(seen),
  );
  await platform.control({ id, cmd_seq: 2, cmd: 'resume' });
  expect(await platform.ended(id)).toMatchObject({ action: 'error', error_code: 'process_ended' });
  await gone(pid);
  // By another spawner, which also removes the control groups with the worker.
  expect(await platform.run('module.exports = () => 1;')).toMatchObject({ action: 'end', output: '1' });
});

asRoot.each(['SIGKILL', 'SIGTERM'] as const)(
  'nothing is left of a worker that ends by %s: no process, no control group',
  async signal => {
    const id = await platform.start(WAITS);
    const [pid = 0] = await announcedPids(platform, id);
    await platform.control({ id, cmd_seq: 1, cmd: 'pause' });
    const spawner = spawnerPid();
    await worker.end(signal);
    await gone(pid);
    await gone(spawner);
    await until(groups, left => left.length === 0);
  },
);

asRoot('nor of one that is killed while it is being handed the pipes of a process', async () => {
  const spawner = spawnerPid();
  const before = childrenOf(spawner);
  // It takes a parked process, which is replaced soon after.
  void platform.run('module.exports = () => 1;').catch(() => {});
  while (childrenOf(spawner).every(pid => before.includes(pid))) await new Promise(resolve => setImmediate(resolve));
  // From now on it takes nothing that its spawner sends.
  worker.signal('SIGSTOP');
  await worker.end('SIGKILL');
  await gone(spawner);
  await until(groups, left => left.length === 0);
});

asRoot('a process that cannot be put into its control group is told as one that did not start, and ended', async () => {
  const script = pathToFileURL(resolve(__dirname, '../dist/executor/spawner-process.js'));
  const spawner = new Spawner(script, [], 256, pino({ level: 'silent' }));
  const file = join(worker.data, 'pid');
  // As bubblewrap does: tells its number, and waits to be let go.
  const program = `printf %s $$ > ${file}; printf '{ "child-pid": %s }' $$ >&7; read go <&8`;
  const entrance = { by: 'pid', file: '/sys/fs/cgroup/none/cgroup.procs' } as const;
  const files = { argumentsFile: '/dev/null', filterFile: '/dev/null', entrance };
  const starting = spawner.start({ program: '/bin/sh', args: ['-c', program], uid: null, ...files });
  await expect(starting).rejects.toThrow('ENOENT');
  await gone(Number(readFileSync(file, 'utf8')));
  spawner.close();
});

asRoot('a spawner that cannot leave the control group of a run ends, and with it what it has started', async () => {
  const script = pathToFileURL(resolve(__dirname, '../dist/executor/spawner-process.js'));
  const spawner = new Spawner(script, [], 256, pino({ level: 'silent' }));
  const entrance: GroupEntrance = { by: 'starter', into: [], back: ['/sys/fs/cgroup/none/tasks'] };
  const files = { argumentsFile: '/dev/null', filterFile: '/dev/null', entrance };
  const starting = spawner.start({ program: '/bin/true', args: [], uid: null, ...files });
  await expect(starting).rejects.toThrow('ended with 1');
  spawner.close();
});
