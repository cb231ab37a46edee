import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connectedWorker } from './connected-worker.js';
import { gone, isAlive } from './left-processes.js';

// A machine under load takes its time; no test here is about how long something takes.
jest.setTimeout(30_000);

const { platform, worker } = connectedWorker();

/** Processes that the worker has for runs, by what it keeps of them for its next start. */
async function processes(): Promise<number[]> {
  const folder = join(worker().data, 'worker', 'processes');
  // A process that ends between the listing and the reading takes its mark with it.
  const read = (name: string) =>
    readFile(join(folder, name), 'utf8').catch(error => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
  const texts = await Promise.all((await readdir(folder)).map(read));
  return texts.filter(text => text.endsWith('}')).map(text => JSON.parse(text).pid);
}

async function until<T>(look: () => Promise<T>, good: (seen: T) => boolean): Promise<T> {
  for (let seen = await look(); ; seen = await look()) {
    if (good(seen)) return seen;
    await pause(10);
  }
}

/** Resolves when as many are parked as there are going to be. */
async function parked(): Promise<number[]> {
  const pids = await until(processes, seen => seen.length >= 2);
  return pids.filter(isAlive);
}

test('parked processes that are killed are replaced, and runs go on', async () => {
  const before = await parked();
  for (const pid of before) process.kill(pid, 'SIGKILL');
  for (const pid of before) await gone(pid);
  expect(await platform.run('module.exports = () => 1;')).toMatchObject({ action: 'end', output: '1' });
  await until(processes, pids => pids.filter(pid => !before.includes(pid) && isAlive(pid)).length >= 2);
  expect(worker().output).toMatch(/a parked process ended|no process could be parked/);
});

test('no run gets a process that another has had', async () => {
  const skript = 'globalThis.seen = (globalThis.seen ?? 0) + 1; module.exports = () => [globalThis.seen, process.pid];';
  const outputs = await Promise.all(Array.from({ length: 8 }, () => platform.run(skript)));
  expect(outputs.map(({ output }) => JSON.parse(output ?? '')[0])).toEqual(Array(8).fill(1));
});

test('a worker that ends leaves none of its parked processes', async () => {
  const pids = await parked();
  expect(pids.map(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))).not.toContain('');
  expect(await worker().end('SIGTERM')).toBe(0);
  for (const pid of pids) await gone(pid);
  expect(await processes()).toEqual([]);
});
