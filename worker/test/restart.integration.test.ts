import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { PlatformStandIn } from './platform-stand-in.js';
import { WorkerProcess } from './worker-process.js';

// A machine under load takes its time; no test here is about how long something takes.
jest.setTimeout(30_000);

const WAITS = `module.exports = () => new Promise(done => {
  const timer = setInterval(() => {}, 1000);
  global.trawl.eventEmitter.on('ff-stop', () => { clearInterval(timer); done('told to stop'); });
});`;

const platform = new PlatformStandIn();
let worker: WorkerProcess;

beforeEach(async () => {
  await platform.open();
  worker = await WorkerProcess.create(platform.url);
  // As a person starts it who has nothing that would start it again.
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

test('a worker that is told to restart comes back as another process, with nothing that supervises it, and runs again', async () => {
  await platform.restart('stop');
  await restarted(2);
  await platform.restart('drain');
  await restarted(3);
  expect(new Set(platform.hellos.map(({ boot_id }) => boot_id)).size).toBe(3);
  expect(await platform.run('module.exports = () => 42;')).toMatchObject({ action: 'end', output: '42' });
});

test('drain takes no more runs, lets those under way end, also over a broken connection, and then restarts', async () => {
  const id = await platform.start(WAITS);
  await platform.restart('drain');
  expect(await platform.offer('0198a1c2-1111-7000-8000-000000000001', WAITS)).toEqual({ refused: 'draining' });
  platform.cut();
  await restarted(2);
  const [first, second] = platform.hellos;
  expect(second).toMatchObject({ boot_id: first?.boot_id, live: [id] });
  expect(platform.finishes.has(id)).toBe(false);
  await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
  expect(await platform.ended(id)).toMatchObject({ action: 'stop', output: '"told to stop"' });
  await restarted(3);
  expect(platform.hellos[2]).toMatchObject({ live: [] });
  expect(platform.hellos[2]?.boot_id).not.toBe(first?.boot_id);
});

test('stop ends what drain would wait for, and says so', async () => {
  const id = await platform.start(WAITS);
  await platform.restart('drain');
  await platform.restart('stop');
  expect(await platform.ended(id)).toMatchObject({ action: 'error', error_code: 'worker_restarted' });
  await restarted(2);
  expect(platform.hellos[1]?.live).toEqual([]);
});

test('a worker that dies after a restart is started again until it works, and ends when it is told to', async () => {
  await platform.restart('stop');
  await restarted(2);
  // Whoever comes to the same folder is told which process has it.
  const other = worker.sibling();
  other.start();
  await other.ended();
  process.kill(Number(/process (\d+)/.exec(other.output)?.[1]), 'SIGKILL');
  await restarted(3);
  expect(worker.output).toContain('The worker ended (SIGKILL); starting it again');
  expect(await worker.end('SIGTERM')).toBe(0);
});

test('a worker that cannot be started after a restart is tried again until it can', async () => {
  await worker.end('SIGTERM');
  const node = join(worker.data, 'node');
  await copyFile(process.execPath, node);
  // The same command, by a Node that can be taken away.
  worker.start({ TRAWL_SUPERVISED: '0' }, ['/bin/sh', '-c', 'shift; exec "$0" "$@"', node]);
  await restarted(2);
  await rename(node, `${node}-away`);
  await platform.restart('stop');
  await worker.complained('starting it again');
  expect(worker.output).toContain(`The worker ended (Error: spawn ${node} ENOENT); starting it again`);
  await rename(`${node}-away`, node);
  await restarted(3);
  expect(await worker.end('SIGTERM')).toBe(0);
});

test('a supervised worker leaves it to its supervisor, and says with its exit code that it was asked to', async () => {
  await worker.end('SIGTERM');
  worker.start();
  await restarted(2);
  await platform.restart('stop');
  expect(await worker.ended()).toBe(75);
});
