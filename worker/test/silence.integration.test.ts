import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LEASE_MS } from '@trawl/contracts';
import { connectedWorker } from './connected-worker.js';
import { gone, isAlive } from './left-processes.js';

jest.setTimeout(60_000);

const { platform, worker } = connectedWorker();

const SKRIPT = `module.exports = () => {
  require('node:fs').writeFileSync('pid', process.pid + ' ');
  return new Promise(() => setInterval(() => {}, 1_000));
};`;

async function pidOf(id: string): Promise<number> {
  for (;;) {
    const text = await readFile(join(worker().runs, id, 'home', 'pid'), 'utf8').catch(() => '');
    if (text.endsWith(' ')) return Number(text);
    await pause(10);
  }
}

test('ends a run that may be tried again before its lease is over, and lets any other go on', async () => {
  const [retried, other] = [
    await platform.start(SKRIPT, { ends_with_lease: true }),
    await platform.start(SKRIPT, { ends_with_lease: false }),
  ];
  const [retriedPid, otherPid] = [await pidOf(retried), await pidOf(other)];
  await platform.close();
  for (const deadline = performance.now() + LEASE_MS; isAlive(retriedPid) && performance.now() < deadline; )
    await pause(50);
  expect(isAlive(retriedPid)).toBe(false);
  await gone(retriedPid);
  expect(isAlive(otherPid)).toBe(true);
  await platform.open();
  expect(await platform.ended(retried)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
  expect(platform.hellos.at(-1)?.live).toEqual([other]);
  expect(isAlive(otherPid)).toBe(true);
});
