import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { killAllOf, markOf } from './process-table.js';

const PLATFORM = process.platform;

afterEach(() => {
  Object.defineProperty(process, 'platform', { value: PLATFORM });
});

test('a process is killed where there are no groups of processes, as on Windows', async () => {
  const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const exited = once(child, 'exit');
  Object.defineProperty(process, 'platform', { value: 'win32' });
  await killAllOf({ ...markOf(child.pid as number, null), started: null, boot: null });
  expect((await exited)[1]).toBe('SIGKILL');
});
