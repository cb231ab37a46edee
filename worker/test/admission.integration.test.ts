import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeCgroups } from '../src/executor/cgroups/cgroup-files.js';
import { PlatformStandIn } from './platform-stand-in.js';
import { WorkerProcess } from './worker-process.js';

const TREE = '/sys/fs/cgroup/memory';
const MIB = 1024 * 1024;
/** A worker with its helpers uses about 150 MB of it. */
const LIMIT_BYTES = 640 * MIB;
const SLEEPS = 'module.exports = () => new Promise(() => setInterval(() => {}, 1_000));';

const canLimit = existsSync(join(TREE, 'tasks')) && process.getuid?.() === 0 ? describe : describe.skip;

canLimit('a worker whose memory is limited', () => {
  const group = join(TREE, `trawl-test-${process.pid}`);
  const inGroup = ['/bin/sh', '-c', `echo $$ >${group}/tasks; exec "$@"`, 'sh'];
  const platform = new PlatformStandIn();
  let worker: WorkerProcess;
  let hog: ChildProcess | undefined;

  beforeAll(async () => {
    mkdirSync(group);
    writeFileSync(join(group, 'memory.limit_in_bytes'), String(LIMIT_BYTES));
    platform.leaseMs = 3_000;
    await platform.open();
    worker = await WorkerProcess.create(platform.url);
    worker.start({}, inGroup);
    await platform.connected();
  });
  afterAll(async () => {
    hog?.kill('SIGKILL');
    await worker?.remove();
    await platform.close();
    await removeCgroups([group]);
    if (existsSync(group)) rmdirSync(group);
  });

  const slots = () => platform.beats.at(-1)?.slots ?? 0;

  /** Takes as much memory in the worker's group as leaves room for no run. */
  async function takeMemory(): Promise<void> {
    const bytes = LIMIT_BYTES - 190 * MIB;
    const code = `const bytes = Buffer.alloc(${bytes}, 1); console.log(bytes.length); setInterval(() => {}, 1_000);`;
    const [program = '', ...args] = [...inGroup, process.execPath, '-e', code];
    hog = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(hog.stdout as NonNullable<typeof hog.stdout>, 'data');
  }

  test('accepts one run while memory is short, and more when memory is free again', async () => {
    await platform.until(() => slots() > 1, 'a worker with several slots');
    await takeMemory();
    await platform.until(() => slots() === 1, 'a worker with one slot');
    expect(await platform.offer(randomUUID(), SLEEPS)).toEqual({ accepted: true });
    expect(await platform.offer(randomUUID(), SLEEPS)).toEqual({ refused: 'full' });
    hog?.kill('SIGKILL');
    await platform.until(() => slots() > 1, 'a worker with several slots again');
    expect(await platform.offer(randomUUID(), SLEEPS)).toEqual({ accepted: true });
  });
});
