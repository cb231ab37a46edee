import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gone, isAlive } from '../left-processes.js';
import { ANNOUNCE, announcedPids, until } from '../run-processes.js';
import { platform, worker } from './worker.js';

/** Returns the pids of the processes in the worker's registry on disk. */
async function processes(): Promise<number[]> {
  const folder = join(worker().data, 'worker', 'processes');
  // Ignore a missing file: a process may end between the listing of the folder and the reading of its file.
  const read = (name: string) =>
    readFile(join(folder, name), 'utf8').catch(error => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
  const texts = await Promise.all((await readdir(folder)).map(read));
  return texts.filter(text => text.endsWith('}')).map(text => JSON.parse(text).pid);
}

/** Resolves with the pids of the parked processes when the pool has parked as many as it can. */
async function parked(): Promise<number[]> {
  const pids = await until(processes, seen => seen.length >= 2);
  return pids.filter(isAlive);
}

test('the worker replaces parked processes that are killed, and keeps serving runs', async () => {
  const before = await parked();
  for (const pid of before) process.kill(pid, 'SIGKILL');
  for (const pid of before) await gone(pid);
  expect(await platform.run('module.exports = () => 1;')).toMatchObject({ action: 'end', output: '1' });
  await until(processes, pids => pids.filter(pid => !before.includes(pid) && isAlive(pid)).length >= 2);
});

test('the worker never gives a used process to a run that is not warm', async () => {
  const skript = 'globalThis.seen = (globalThis.seen ?? 0) + 1; module.exports = () => [globalThis.seen, process.pid];';
  const outputs = await Promise.all(Array.from({ length: 4 }, () => platform.run(skript)));
  outputs.push(await platform.run(skript));
  expect(outputs.map(({ output }) => JSON.parse(output ?? '')[0])).toEqual(Array(5).fill(1));
});

test('a worker that shuts down ends its parked processes and its paused runs', async () => {
  const id = await platform.start(`${ANNOUNCE}module.exports = () => {
    const options = { detached: true, stdio: 'ignore' };
    const child = require('node:child_process').spawn('sh', ['-c', 'while :; do sleep 1; done'], options);
    announce(child.pid);
    return new Promise(() => setInterval(() => {}, 1_000));
  };`);
  const ofRun = await announcedPids(platform, id);
  await platform.control({ id, cmd_seq: 1, cmd: 'pause' });
  const pids = await parked();
  expect(pids.map(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))).not.toContain('');
  expect(await worker().end('SIGTERM')).toBe(0);
  expect(ofRun.filter(isAlive)).toEqual([]);
  for (const pid of pids) await gone(pid);
  expect(await processes()).toEqual([]);
});
