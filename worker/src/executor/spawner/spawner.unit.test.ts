import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { Spawner } from './spawner.js';

const onLinux = process.platform === 'linux' ? test : test.skip;
const REQUEST = {
  network: null,
  program: '',
  args: [],
  uid: null,
  argumentsFile: '',
  filterFile: '',
  entry: null,
};

const OPTIONS = { openFiles: 2_048, groups: [], mounts: { root: '/none', mounts: [] } };

let folder: string;
/**
 * Path of a file that the stand-in for the spawner writes. It contains the stand-in's pid when it has stopped itself,
 * or the number of a start that the worker told it to drop.
 */
let told: string;
let inner: ChildProcess;
let spawner: Spawner;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'] });
  folder = mkdtempSync(join(tmpdir(), 'trawl-spawner-'));
  told = join(folder, 'pid');
  inner = spawn('sleep', ['60']);
});

afterEach(() => {
  jest.useRealTimers();
  spawner.close();
  const standing = readPid(told);
  if (standing > 0 && isThere(standing)) process.kill(standing, 'SIGKILL');
  inner.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a stand-in for the spawner's process. `answer` is the code with which it handles a message `m`. */
function open(answer: string): void {
  const script = join(folder, 'stand-in.cjs');
  const ends = "process.stdin.once('close', () => process.exit()).resume();";
  writeFileSync(script, `${ends} process.on('message', m => { if (m.t === 'start') { ${answer} } });`);
  spawner = new Spawner(pathToFileURL(script), OPTIONS, pino({ level: 'silent' }));
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}

const isThere = (pid: number): boolean => existsSync(`/proc/${pid}`);
const readPid = (file: string): number => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);

onLinux('the worker fails a start and kills the process when the spawner does not send its pipes', async () => {
  open(`process.send({ t: 'started', n: m.n, outer: ${inner.pid}, inner: ${inner.pid} });`);
  const ended = once(inner, 'exit');
  await expect(spawner.start(REQUEST)).rejects.toThrow('no pipe for descriptor 1, 2, 3, 4');
  expect(await ended).toEqual([null, 'SIGKILL']);
});

onLinux('when the spawner ends, the start fails, and another spawner handles the next start', async () => {
  open('process.exit(3);');
  for (const _time of [1, 2]) await expect(spawner.start(REQUEST)).rejects.toThrow('ended with 3');
});

onLinux('a spawner that does not answer for 30 s is killed, and another one handles the next start', async () => {
  const isFirst = `!require('node:fs').existsSync('${told}')`;
  const stopsItself = `require('node:fs').writeFileSync('${told}', String(process.pid)); process.kill(process.pid, 'SIGSTOP');`;
  open(`if (${isFirst}) { ${stopsItself} } else process.send({ t: 'failed', n: m.n, text: 'another' });`);
  const starting = spawner.start(REQUEST);
  const outcome = expect(starting).rejects.toThrow('did not answer a start for 30 s');
  await until(() => readPid(told) > 0);
  jest.advanceTimersByTime(30_000);
  await outcome;
  const pid = readPid(told);
  await until(() => !isThere(pid));
  await expect(spawner.start(REQUEST)).rejects.toThrow('another');
});

onLinux('the worker drops a start that hangs for 30 s while the spawner still answers other starts', async () => {
  open(`if (m.n > 1) process.send({ t: 'failed', n: m.n, text: 'next' });
  } else if (m.t === 'drop') { require('node:fs').writeFileSync('${told}', String(m.n));`);
  const outcome = expect(spawner.start(REQUEST)).rejects.toThrow('did not start the process for a run within 30 s');
  jest.advanceTimersByTime(20_000);
  const next = () => expect(spawner.start(REQUEST)).rejects.toThrow('next');
  await next();
  jest.advanceTimersByTime(10_000);
  await outcome;
  await until(() => readPid(told) === 1);
  await next();
});

onLinux('the worker waits for a slow start of a process as long as it makes progress', async () => {
  open(`
    if (m.n === 2) process.send({ t: 'piped', n: 1 });
    if (m.n === 3) process.send({ t: 'failed', n: 1, text: 'at last' });
    if (m.n > 1) process.send({ t: 'failed', n: m.n, text: 'next' });`);
  const starting = expect(spawner.start(REQUEST)).rejects.toThrow('at last');
  for (const _time of [2, 3]) {
    jest.advanceTimersByTime(20_000);
    await expect(spawner.start(REQUEST)).rejects.toThrow('next');
  }
  await starting;
});
