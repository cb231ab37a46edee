import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, killAllOf, killOne } from './process-table.js';

const PLATFORM = process.platform;
const withProc = PLATFORM === 'linux' ? test : test.skip;

afterEach(() => {
  jest.restoreAllMocks();
  Object.defineProperty(process, 'platform', { value: PLATFORM });
});

test('the worker kills the process of a run on Windows, which has no process groups', async () => {
  const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const exited = once(child, 'exit');
  Object.defineProperty(process, 'platform', { value: 'win32' });
  await killAllOf({ ...identify(child.pid as number, null), started: null, boot: null });
  expect((await exited)[1]).toBe('SIGKILL');
});

/** If this failed, the slot of the process would stay unused until the worker's next start. */
withProc('killing a process that has just ended is no error', () => {
  const kill = jest.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
  });
  killOne(identify(process.pid, null));
  expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL');
});

withProc('the worker never kills another process that has the pid of an ended one', () => {
  const kill = jest.spyOn(process, 'kill').mockImplementation(() => true);
  killOne({ ...identify(process.pid, null), started: '1' });
  killOne({ ...identify(process.pid, null), boot: 'another' });
  expect(kill).not.toHaveBeenCalled();
});

const onLinux = PLATFORM === 'linux' ? test : test.skip;

onLinux('the worker kills child processes in sessions of their own, even of a run without a user id', async () => {
  const starts = `const options = { detached: true, stdio: 'ignore' };
    const child = require('node:child_process').spawn('/bin/sleep', ['60'], options);
    console.log(child.pid);
    for (;;);`;
  const child = spawn(process.execPath, ['-e', starts], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const [pid] = await once(child.stdout, 'data');
  const started = identify(Number(pid), null);
  const exited = once(child, 'exit');
  await killAllOf(identify(child.pid as number, null));
  await exited;
  while (isAlive(started)) await delay(10);
});
