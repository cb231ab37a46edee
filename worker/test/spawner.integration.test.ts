import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import type { CgroupEntry } from '../src/executor/cgroups/cgroups.js';
import { Spawner } from '../src/executor/spawner/spawner.js';
import { restoredWorker } from './connected-worker.js';
import { gone } from './left-processes.js';
import { ANNOUNCE, announcedPids, until } from './run-processes.js';
import type { WorkerProcess } from './worker-process.js';

const isRoot = process.getuid?.() === 0;
const asRoot = isRoot && process.platform === 'linux' ? test : test.skip;
const { platform, worker: current } = restoredWorker();
let worker: WorkerProcess;
beforeEach(() => {
  worker = current();
});

/** Options of a spawner that cannot make the shared mounts, because the root folder is missing. */
const OPTIONS = { openFiles: 2_048, groups: [], mounts: { root: '/none', mounts: [] } };
const SCRIPT = pathToFileURL(resolve(__dirname, '../dist/executor/spawner/spawner-process.js'));

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
  if (found === undefined) throw new Error('The worker has no spawner.');
  return found;
}

/** Lists the worker's cgroups in all cgroup trees. */
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

asRoot('when the spawner is killed, its runs end too, and another spawner starts the next run', async () => {
  const id = await platform.start(WAITS);
  const [pid = 0] = await announcedPids(platform, id);
  const first = spawnerPid();
  process.kill(first, 'SIGKILL');
  expect(await platform.ended(id)).toMatchObject({ action: 'error', error_code: 'process_ended' });
  await gone(pid);
  expect(await platform.run('module.exports = () => 1;')).toMatchObject({ action: 'end', output: '1' });
  expect(spawnerPid()).not.toBe(first);
});

asRoot('a paused run whose spawner is killed ends, and executes nothing even if it is resumed', async () => {
  const id = await platform.start(WAITS);
  const [pid = 0] = await announcedPids(platform, id);
  await platform.control({ id, cmd_seq: 1, cmd: 'pause' });
  const statusOf = (of: number) => readFileSync(`/proc/${of}/status`, 'utf8');
  const first = Number(/^PPid:\t(\d+)/m.exec(statusOf(pid))?.[1]);
  process.kill(spawnerPid(), 'SIGKILL');
  // Matches a process that has a pending SIGKILL. A frozen process handles this signal only when it is thawed.
  const isToldToEnd = /^ShdPnd:\t[\da-f]{13}1[\da-f]{2}$/m;
  await until(
    () => statusOf(first),
    seen => isToldToEnd.test(seen),
  );
  await platform.control({ id, cmd_seq: 2, cmd: 'resume' });
  expect(await platform.ended(id)).toMatchObject({ action: 'error', error_code: 'process_ended' });
  await gone(pid);
  // The worker has started another spawner, which starts this run and removes the cgroups when the worker ends.
  expect(await platform.run('module.exports = () => 1;')).toMatchObject({ action: 'end', output: '1' });
});

asRoot('the spawner kills a process that cannot enter its cgroup, and its start fails', async () => {
  const spawner = new Spawner(SCRIPT, OPTIONS, pino({ level: 'silent' }));
  const file = join(worker.data, 'pid');
  // Stand-in for bubblewrap: a shell program that reports its pid and waits for the permission to begin.
  const program = `printf %s $$ > ${file}; printf '{ "child-pid": %s }' $$ >&7; read go <&8`;
  const entry = { by: 'pid', file: '/sys/fs/cgroup/none/cgroup.procs' } as const;
  const files = { argumentsFile: '/dev/null', filterFile: '/dev/null', entry };
  const starting = spawner.start({
    program: '/bin/sh',
    args: ['-c', program],
    network: null,
    uid: null,
    ...files,
  });
  await expect(starting).rejects.toThrow('ENOENT');
  await gone(Number(readFileSync(file, 'utf8')));
  spawner.close();
});

asRoot('a spawner that cannot leave a run’s cgroup ends together with its processes', async () => {
  const spawner = new Spawner(SCRIPT, OPTIONS, pino({ level: 'silent' }));
  const entry: CgroupEntry = { by: 'spawner', enter: [], leave: ['/sys/fs/cgroup/none/tasks'] };
  const files = { argumentsFile: '/dev/null', filterFile: '/dev/null', entry };
  const starting = spawner.start({
    program: '/bin/true',
    args: [],
    network: null,
    uid: null,
    ...files,
  });
  await expect(starting).rejects.toThrow('ended with 1');
  spawner.close();
});

asRoot('the spawner tells whether it shares mounts between sandboxes or the machine refused to make them', async () => {
  const log = pino({ level: 'silent' });
  const root = join(worker.data, 'shared-root');
  mkdirSync(join(root, 'usr'), { recursive: true });
  const spawners = [
    new Spawner(
      SCRIPT,
      { ...OPTIONS, mounts: { root, mounts: [{ inside: '/usr', outside: '/usr', isDevice: false }] } },
      log,
    ),
    new Spawner(SCRIPT, OPTIONS, log),
  ];
  const areShared = await Promise.all(spawners.map(spawner => spawner.hasSharedMounts()));
  for (const spawner of spawners) spawner.close();
  expect(areShared).toEqual([true, false]);
  // Nothing of it appears in the mount namespace of this process, which is the spawners' own.
  expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(root);
});

asRoot('the machine mounts something below a shared folder later: sandboxes do not see it', async () => {
  const [root, source] = [join(worker.data, 'shared-root'), join(worker.data, 'shared-source')];
  for (const folder of [join(root, 'usr'), join(source, 'later')]) mkdirSync(folder, { recursive: true });
  const mount = (...args: string[]) => execFileSync('mount', args);
  // On a machine with systemd, each mount passes those below it on to other namespaces. Do the same here.
  mount('--bind', source, source);
  mount('--make-shared', source);
  const mounts = { root, mounts: [{ inside: '/usr', outside: source, isDevice: false }] };
  const spawner = new Spawner(SCRIPT, { ...OPTIONS, mounts }, pino({ level: 'silent' }));
  try {
    expect(await spawner.hasSharedMounts()).toBe(true);
    mount('-t', 'tmpfs', 'none', join(source, 'later'));
    const seen = join(worker.data, 'seen');
    const program = `cat /proc/self/mountinfo > ${seen}; printf '{ "child-pid": %s }' $$ >&7; read go <&8`;
    const files = { argumentsFile: '/dev/null', filterFile: '/dev/null', entry: null, network: null, uid: null };
    const { ended } = await spawner.start({ program: '/bin/sh', args: ['-c', program], ...files });
    await ended;
    expect(readFileSync(seen, 'utf8')).toContain(join(root, 'usr'));
    expect(readFileSync(seen, 'utf8')).not.toContain(join(root, 'usr/later'));
  } finally {
    spawner.close();
    for (const place of [join(source, 'later'), source]) execFileSync('umount', ['--lazy', place]);
  }
});

asRoot.each(['SIGKILL', 'SIGTERM'] as const)(
  'the spawner leaves no process and no cgroup after the worker ended by %s',
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

asRoot('no process is left if the worker is killed while the spawner hands over a new process’s pipes', async () => {
  const spawner = spawnerPid();
  const before = childrenOf(spawner);
  // The run takes a parked process, so the pool soon starts another one.
  void platform.run('module.exports = () => 1;').catch(() => {});
  while (childrenOf(spawner).every(pid => before.includes(pid))) await new Promise(resolve => setImmediate(resolve));
  // Stop the worker, so that it receives nothing from its spawner any more.
  worker.signal('SIGSTOP');
  await worker.end('SIGKILL');
  await gone(spawner);
  await until(groups, left => left.length === 0);
});
