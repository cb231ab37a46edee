import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { leaseTimes } from '@trawl/contracts';
import { connectedWorker } from './connected-worker.js';
import { gone, isAlive } from './left-processes.js';
import { ANNOUNCE, announcedPids, until } from './run-processes.js';

const { platform, worker } = connectedWorker();
const { leaseMs, silenceMs } = leaseTimes(3_000);
platform.leaseMs = leaseMs;

const SKRIPT = `${ANNOUNCE}module.exports = () => {
  announce();
  return new Promise(() => setInterval(() => {}, 1_000));
};`;

const pidOf = async (id: string): Promise<number> => (await announcedPids(platform, id))[0] as number;

test('ends retryable runs before the lease ends, and no others', async () => {
  const [retried, other] = [
    await platform.start(SKRIPT, { ends_with_lease: true }),
    await platform.start(SKRIPT, { ends_with_lease: false }),
  ];
  const [retriedPid, otherPid] = [await pidOf(retried), await pidOf(other)];
  await platform.close();
  for (const deadline = performance.now() + leaseMs; isAlive(retriedPid) && performance.now() < deadline; )
    await pause(50);
  expect(isAlive(retriedPid)).toBe(false);
  await gone(retriedPid);
  expect(isAlive(otherPid)).toBe(true);
  await platform.open();
  expect(await platform.ended(retried)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
  expect(platform.hellos.at(-1)?.live).toEqual([other]);
  expect(isAlive(otherPid)).toBe(true);
});

test('refuses an offer that is older than a standstill beyond the lease', async () => {
  const [pid, refused, taken] = [worker().pid, randomUUID(), randomUUID()];
  process.kill(pid, 'SIGSTOP');
  const answer = platform.offer(refused, SKRIPT);
  await pause(silenceMs + 500);
  process.kill(pid, 'SIGCONT');
  expect(await answer).toEqual({ refused: 'silent' });
  await until(
    () => platform.offer(taken, SKRIPT),
    said => 'accepted' in said,
  );
  expect(platform.finishes.has(refused)).toBe(false);
});
