import childProcess, { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { lockFolder } from '../src/index.js';

const PLATFORM = process.platform;
let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-lock-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) await end(child);
  rmSync(folder, { recursive: true });
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/**
 * Starts another process that tries to lock the folder. That process prints `held` if it got the lock, or the error.
 */
async function another(): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [join(__dirname, 'hold-lock.mjs'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [said] = (await once(createInterface({ input: child.stdout as Readable }), 'line')) as [string];
  return { child, said };
}

test('lockFolder refuses a locked folder with one line that names the process and what to do', async () => {
  const { child, said } = await another();
  expect(said).toBe('held');
  expect(() => lockFolder(folder)).toThrow(
    `The folder ${folder} is in use by another Trawl (process ${child.pid}). Stop that one, or set TRAWL_DATA_DIR to another folder.`,
  );
  expect((await another()).said).toContain(`(process ${child.pid})`);
});

test('the lock of a folder ends when the process that holds it is killed', async () => {
  const { child } = await another();
  await end(child);
  lockFolder(folder).release();
});

test('releasing a folder lock frees the folder even if a child process of its holder still runs', async () => {
  const lock = lockFolder(folder);
  const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  children.push(bystander);
  await once(bystander, 'spawn');
  lock.release();
  expect((await another()).said).toBe('held');
});

test('only one of many concurrent processes gets the lock of a folder', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, another));
  const holders = all.filter(({ said }) => said === 'held');
  expect(holders).toHaveLength(1);
  for (const { said } of all) if (said !== 'held') expect(said).toMatch(/in use by another Trawl/);
});

test('lockFolder starts no other program on Windows', () => {
  const program = jest.spyOn(childProcess, 'spawnSync');
  Object.defineProperty(process, 'platform', { value: 'win32' });
  try {
    lockFolder(folder).release();
  } finally {
    Object.defineProperty(process, 'platform', { value: PLATFORM });
  }
  expect(program).not.toHaveBeenCalled();
});
