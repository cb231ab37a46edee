import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isThere, killAllOf, killOne, markOf } from './process-table.js';

const PLATFORM = process.platform;
const withProc = PLATFORM === 'linux' ? test : test.skip;

afterEach(() => {
  jest.restoreAllMocks();
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

/** Else its place would be out of use until the worker's next start. */
withProc('a process that ends by itself just when it is killed is no error', () => {
  const kill = jest.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
  });
  killOne(markOf(process.pid, null));
  expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL');
});

withProc('a process that has the number of another one is left alone', () => {
  const kill = jest.spyOn(process, 'kill').mockImplementation(() => true);
  killOne({ ...markOf(process.pid, null), started: '1' });
  killOne({ ...markOf(process.pid, null), boot: 'another' });
  expect(kill).not.toHaveBeenCalled();
});

const onLinux = PLATFORM === 'linux' ? test : test.skip;

onLinux(
  'what a process has started in a session of its own is killed with it, without a user of its own too',
  async () => {
    const starts = `const options = { detached: true, stdio: 'ignore' };
    const child = require('node:child_process').spawn('/bin/sleep', ['60'], options);
    console.log(child.pid);
    for (;;);`;
    const child = spawn(process.execPath, ['-e', starts], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const [pid] = await once(child.stdout, 'data');
    const started = markOf(Number(pid), null);
    const exited = once(child, 'exit');
    await killAllOf(markOf(child.pid as number, null));
    await exited;
    while (isThere(started)) await new Promise(resolve => setTimeout(resolve, 10));
  },
);
