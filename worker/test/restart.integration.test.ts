import { copyFile, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hello } from '@trawl/contracts';
import { RESTART_EXIT_CODE } from '../src/exit-codes.js';
import { PlatformStandIn } from './platform-stand-in.js';
import { WorkerProcess } from './worker-process.js';

const WAITS = `module.exports = () => new Promise(done => {
  const timer = setInterval(() => {}, 1000);
  global.trawl.eventEmitter.on('ff-stop', () => { clearInterval(timer); done(); });
});`;

const platform = new PlatformStandIn();
let worker: WorkerProcess;
/** A copy of Node that starts the worker, so that a test can move it away. */
let node: string;

beforeAll(async () => {
  await platform.open();
  worker = await WorkerProcess.create(platform.url);
  node = join(worker.data, 'node');
  await copyFile(process.execPath, node);
  // `0`: as when a person starts the worker. The process then is the supervisor of a worker.
  worker.start({ TRAWL_SUPERVISED: '0' }, ['/bin/sh', '-c', 'shift; exec "$0" "$@"', node]);
  await platform.connected();
});

afterAll(async () => {
  await worker?.end('SIGTERM');
  await worker?.remove();
  await platform.close();
});

/** Does something after which the worker says hello. Returns this hello. */
async function helloAfter(cause: () => unknown): Promise<Hello> {
  const count = platform.hellos.length;
  await cause();
  await platform.until(() => platform.hellos.length > count, 'the next hello');
  return platform.hellos[count] as Hello;
}

const lastBoot = () => platform.hellos.at(-1)?.boot_id;

// Each start of a worker takes two seconds of processor time, so a restart serves several promises.
test('a stop command ends the runs that a drain waits for, and restarts the worker in another process', async () => {
  const first = lastBoot();
  const id = await platform.start(WAITS);
  await platform.restart('drain');
  const restarted = await helloAfter(() => platform.restart('stop'));
  expect(await platform.ended(id)).toMatchObject({ action: 'error', error_code: 'worker_restarted' });
  expect(restarted.live).toEqual([]);
  expect(restarted.boot_id).not.toBe(first);
  expect(await platform.run('module.exports = () => 42;')).toMatchObject({ action: 'end', output: '42' });
});

test('a draining worker refuses offers, waits for live runs even over a lost connection, and then restarts', async () => {
  const first = lastBoot();
  const id = await platform.start(WAITS);
  await platform.restart('drain');
  expect(await platform.offer('0198a1c2-1111-7000-8000-000000000001', WAITS)).toEqual({ refused: 'draining' });
  expect(await helloAfter(() => platform.cut())).toMatchObject({ boot_id: first, live: [id] });
  expect(platform.finishes.has(id)).toBe(false);
  const restarted = await helloAfter(async () => {
    await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
    expect(await platform.ended(id)).toMatchObject({ action: 'stop' });
  });
  expect(restarted.live).toEqual([]);
  expect(restarted.boot_id).not.toBe(first);
});

test('the supervisor restarts a worker that dies, retries if that fails, and ends on a signal', async () => {
  const died = lastBoot();
  const pid = Number(await readFile(join(worker.data, 'worker', 'lock'), 'utf8'));
  expect(pid).not.toBe(worker.pid);
  await rename(node, `${node}-away`);
  process.kill(pid, 'SIGKILL');
  await worker.complained(`The worker ended (Error: spawn ${node} ENOENT); restarting it`);
  expect(worker.output).toContain('The worker ended (SIGKILL); restarting it');
  const restarted = await helloAfter(() => rename(`${node}-away`, node));
  expect(restarted.boot_id).not.toBe(died);
  expect(await worker.end('SIGTERM')).toBe(0);
});

test('a worker with an external supervisor exits with the restart code when it should restart', async () => {
  await worker.end('SIGTERM');
  await helloAfter(() => worker.start());
  await platform.restart('stop');
  expect(await worker.ended()).toBe(RESTART_EXIT_CODE);
});
