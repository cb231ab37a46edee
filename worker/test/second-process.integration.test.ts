import { restoredWorker } from './connected-worker.js';

const { platform, worker } = restoredWorker();

/** After this line, the boot is saved. */
const CONNECTED = 'connected to the platform';
const ENDLESS = `module.exports = () => new Promise(() => { console.log('up'); setInterval(() => {}, 1000); });`;

test('a worker that starts again names the last boot of its folder, so that the platform lets it in at once', async () => {
  const first = platform.hellos.at(-1);
  for (const _start of [1, 2]) {
    await worker().said(CONNECTED);
    const last = platform.hellos.at(-1);
    const hellos = platform.hellos.length;
    await worker().end('SIGKILL');
    worker().start();
    await platform.until(() => platform.hellos.length > hellos, 'the hello of the next boot');
    expect(platform.hellos.at(-1)?.previous_boot_id).toBe(last?.boot_id);
  }
  expect(first?.previous_boot_id).toBeNull();
});

test('a boot that the platform refused is not named by the next one', async () => {
  await worker().said(CONNECTED);
  const welcomed = platform.hellos.at(-1)?.boot_id;
  await worker().end('SIGKILL');
  platform.refusal = { code: 'worker_in_use', message: 'Another process is connected.' };
  worker().start();
  await worker().said('Another process is connected.');
  await worker().end('SIGKILL');
  platform.refusal = null;
  worker().start();
  await platform.until(() => platform.hellos.at(-1)?.previous_boot_id === welcomed, 'the next hello');
  expect(new Set(platform.hellos.slice(-2).map(({ boot_id }) => boot_id)).size).toBe(2);
});

test('ends its runs when another process has its lease, logs it once, and connects when it may', async () => {
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
