import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { RESTART_EXIT_CODE } from '../src/exit-codes.js';
import { PlatformStandIn } from './platform-stand-in.js';
import { WorkerProcess } from './worker-process.js';

const WAITS = `module.exports = () => new Promise(done => {
  const timer = setInterval(() => {}, 1000);
  global.trawl.eventEmitter.on('ff-stop', () => { clearInterval(timer); done(); });
});`;

const platform = new PlatformStandIn();
let worker: WorkerProcess;

beforeEach(async () => {
  await platform.open();
  worker = await WorkerProcess.create(platform.url);
  // `0`: as when a person starts the worker. The process then is the supervisor of a worker.
  worker.start({ TRAWL_SUPERVISED: '0' });
  await platform.connected();
});

afterEach(async () => {
  await worker.end('SIGTERM');
  await worker.remove();
  await platform.close();
  platform.hellos.length = 0;
});

const restarted = (hellos: number) => platform.until(() => platform.hellos.length === hellos, `hello ${hellos}`);

test('restarts in another process without an external supervisor', async () => {
  await platform.restart('stop');
  await restarted(2);
  await platform.restart('drain');
  await restarted(3);
  expect(new Set(platform.hellos.map(({ boot_id }) => boot_id)).size).toBe(3);
  expect(await platform.run('module.exports = () => 42;')).toMatchObject({ action: 'end', output: '42' });
});

test('drain refuses offers, waits for the live runs, even over a broken connection, and then restarts', async () => {
  const id = await platform.start(WAITS);
  await platform.restart('drain');
  expect(await platform.offer('0198a1c2-1111-7000-8000-000000000001', WAITS)).toEqual({ refused: 'draining' });
  platform.cut();
  await restarted(2);
  const [first, second] = platform.hellos;
  expect(second).toMatchObject({ boot_id: first?.boot_id, live: [id] });
  expect(platform.finishes.has(id)).toBe(false);
  await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
  expect(await platform.ended(id)).toMatchObject({ action: 'stop' });
  await restarted(3);
  expect(platform.hellos[2]).toMatchObject({ live: [] });
  expect(platform.hellos[2]?.boot_id).not.toBe(first?.boot_id);
});

test('stop ends the runs that drain would wait for, with a reason', async () => {
  const id = await platform.start(WAITS);
  await platform.restart('drain');
  await platform.restart('stop');
  expect(await platform.ended(id)).toMatchObject({ action: 'error', error_code: 'worker_restarted' });
  await restarted(2);
  expect(platform.hellos[1]?.live).toEqual([]);
});

test('starts a worker that dies after a restart again, and ends on a signal', async () => {
  await platform.restart('stop');
  await restarted(2);
  // Start another worker on the same folder to find the first worker's pid: it refuses to start and prints this pid.
  const other = worker.sibling();
  other.start();
  await other.ended();
  process.kill(Number(/process (\d+)/.exec(other.output)?.[1]), 'SIGKILL');
  await restarted(3);
  expect(worker.output).toContain('The worker ended (SIGKILL); restarting it');
  expect(await worker.end('SIGTERM')).toBe(0);
});

test('keeps trying to start the worker after a restart', async () => {
  await worker.end('SIGTERM');
  const node = join(worker.data, 'node');
  await copyFile(process.execPath, node);
  // Start the worker in the same way, but with a copy of Node that the test can move away.
  worker.start({ TRAWL_SUPERVISED: '0' }, ['/bin/sh', '-c', 'shift; exec "$0" "$@"', node]);
  await restarted(2);
  await rename(node, `${node}-away`);
  await platform.restart('stop');
  await worker.complained('restarting it');
  expect(worker.output).toContain(`The worker ended (Error: spawn ${node} ENOENT); restarting it`);
  await rename(`${node}-away`, node);
  await restarted(3);
  expect(await worker.end('SIGTERM')).toBe(0);
});

test('a supervised worker exits with the restart code', async () => {
  await worker.end('SIGTERM');
  worker.start();
  await restarted(2);
  await platform.restart('stop');
  expect(await worker.ended()).toBe(RESTART_EXIT_CODE);
});
