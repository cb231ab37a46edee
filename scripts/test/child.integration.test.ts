import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CappedLog } from '@trawl/embedded';
import { Child } from '../common/child.mjs';

// No test in this file measures time, because the machine may be busy.

let folder: string;
let child: Child | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-child-'));
});

afterEach(async () => {
  await child?.stop();
  child = undefined;
  rmSync(folder, { recursive: true });
});

/** Returns a child that runs this program. The child is ready when it has written its process id to the file `pid`. */
function childOf(
  program: string,
  options: { readyWithinMs?: number; stopWithinMs?: number; late?: Promise<string> } = {},
): Child {
  // The file appears with its content, because the test may read it at once.
  const [file, unfinished] = [pidFile(), `${pidFile()}.new`].map(path => JSON.stringify(path));
  const write = `fs.writeFileSync(${unfinished}, String(process.pid)); fs.renameSync(${unfinished}, ${file});`;
  child = new Child({
    name: 'The program',
    args: ['-e', program.replace('READY', write)],
    env: process.env,
    log: new CappedLog(join(folder, 'program.log')),
    isReady: async () => existsSync(pidFile()),
    readyWithinMs: 20_000,
    stopWithinMs: 20_000,
    ...options,
  });
  return child;
}

const pidFile = () => join(folder, 'pid');
const pidOf = () => Number(readFileSync(pidFile(), 'utf8'));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a child process that dies after its start is restarted', async () => {
  await childOf('READY setInterval(() => {}, 1000)').start();
  const first = pidOf();
  process.kill(first, 'SIGKILL');
  while (pidOf() === first) await delay(20);
  expect(isAlive(pidOf())).toBe(true);
});

test('a child process is restarted on request, and is not reported as dead', async () => {
  const printed = jest.spyOn(process.stdout, 'write');
  try {
    const program = childOf('READY setInterval(() => {}, 1000)');
    await program.start();
    const first = pidOf();
    await program.restart();
    expect(isAlive(first)).toBe(false);
    while (pidOf() === first) await delay(20);
    expect(printed).not.toHaveBeenCalled();
  } finally {
    printed.mockRestore();
  }
});

test('a child process that was started early reads what it needs when that is known, and again after a restart', async () => {
  let tell: (text: string) => void = () => {};
  const late = new Promise<string>(resolve => {
    tell = resolve;
  });
  const heard = join(folder, 'heard');
  const program = childOf(
    `process.stdin.on('data', text => { fs.appendFileSync(${JSON.stringify(heard)}, text); READY }); setInterval(() => {}, 1000)`,
    { late },
  );
  program.spawn();
  const started = program.start();
  tell('the address');
  await started;
  const first = pidOf();
  await program.restart();
  while (pidOf() === first) await delay(20);
  expect(readFileSync(heard, 'utf8')).toBe('the address\nthe address\n');
});

test('the error of a child process that ends while starting contains the end of its log', async () => {
  const start = childOf("console.error('The port is taken.'); process.exit(3)").start();
  await expect(start).rejects.toThrow(/The program ended while starting \(code 3\).*\nThe port is taken\./);
});

test('the error of a child process that is not ready in time contains the end of its log', async () => {
  const start = childOf("console.log('Still thinking.'); setInterval(() => {}, 1000)", {
    readyWithinMs: 5_000,
  }).start();
  await expect(start).rejects.toThrow(/not ready after 5 s.*\nStill thinking\./);
});

test('a child process that ignores the request to stop is killed, and not restarted', async () => {
  await childOf("process.on('SIGTERM', () => {}); READY setInterval(() => {}, 1000)", { stopWithinMs: 50 }).start();
  const pid = pidOf();
  await child?.stop();
  expect(isAlive(pid)).toBe(false);
  expect(pidOf()).toBe(pid);
});
