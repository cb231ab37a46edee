import type { Hello } from '@trawl/contracts';
import { restoredWorker } from './connected-worker.js';

const { platform, worker } = restoredWorker();

/** After this line, the boot is saved. */
const CONNECTED = 'connected to the platform';
const ENDLESS = `module.exports = () => new Promise(() => { console.log('up'); setInterval(() => {}, 1000); });`;

/** Kills the worker if it runs, and starts it. Returns the hello of the next boot. */
async function startAgain(): Promise<Hello> {
  await worker().end('SIGKILL');
  const count = platform.hellos.length;
  worker().start();
  await platform.until(() => platform.hellos.length > count, 'the hello of the next boot');
  return platform.hellos[count] as Hello;
}

test('a restarted worker names the last boot that the platform accepted, so that it is accepted at once', async () => {
  const first = platform.hellos.at(-1);
  expect(first?.previous_boot_id).toBeNull();
  await worker().said(CONNECTED);
  const second = await startAgain();
  expect(second.previous_boot_id).toBe(first?.boot_id);
  await worker().said(CONNECTED);

  platform.refusal = { code: 'worker_in_use', message: 'Another process is connected.' };
  const refused = await startAgain();
  expect(refused.previous_boot_id).toBe(second.boot_id);
  await worker().said('Another process is connected.');
  await worker().end('SIGKILL');
  platform.refusal = null;
  const third = await startAgain();
  expect(third.previous_boot_id).toBe(second.boot_id);
  expect(third.boot_id).not.toBe(refused.boot_id);
  await worker().said(CONNECTED);
});

test('a worker whose lease another process has ends its runs, logs it once, and retries to connect', async () => {
  const id = await platform.start(ENDLESS);
  await platform.firstEcho(id);
  platform.refusal = { code: 'worker_in_use', message: 'Another process is connected.' };
  const hellos = platform.hellos.length;
  platform.cut();
  await worker().said('run is over');
  await platform.until(() => platform.hellos.length > hellos + 2, 'a third hello');
  expect(worker().output.split('Another process is connected.')).toHaveLength(2);
  platform.refusal = null;
  expect(await platform.ended(id)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
});
