import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { until } from '../../../../../test/until.js';
import { BuildHost } from './build-host.js';

const requestOf = (content: string) => ({
  files: [{ name: 'main.js', content }],
  main: 'main.js',
  libraries: [],
  browserLibraries: [],
  aliases: {},
  filesDigest: '',
  timeLimitMs: 60_000,
  nice: 0,
});
const EMPTY = requestOf('');
/** Takes esbuild many seconds. */
const LONG = { ...requestOf(`module.exports = ${'[(x => ['.repeat(50_000)}`), nice: 10 };

interface Row {
  pid: number;
  parent: number;
  command: string;
}

const processes = (): Row[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(line => {
      const [pid, parent, ...command] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), command: command.join(' ') };
    });
const hosts = () =>
  processes().filter(({ parent, command }) => parent === process.pid && command.includes('build-host-process'));
/** The processes of builds and those that wait for one, the oldest first. */
const buildsOf = (host: number) =>
  processes()
    .filter(({ parent, command }) => parent === host && command.includes('bundle-child'))
    .map(({ pid }) => pid)
    .sort((one, other) => one - other);
const isAlive = (pid: number) => processes().some(row => row.pid === pid);

const host = new BuildHost();
afterAll(() => host.close());

const hasPriority = (pid: number) => os.getPriority(pid) === LONG.nice;

/** Starts a build, and returns the host and the process of the build as soon as both are running. */
async function running() {
  const ended = host.build(LONG, {}).catch((error: Error) => error);
  const pids = await until(
    () => {
      const pid = hosts()[0]?.pid;
      return pid ? [pid, ...buildsOf(pid).filter(hasPriority)] : [];
    },
    ([, build]) => build !== undefined,
  );
  return { ended, host: pids[0] as number, build: pids[1] as number };
}

/** Builds, and returns the two processes that then wait for the next builds, the older first. */
async function waitingProcesses(): Promise<number[]> {
  await host.build(EMPTY, {});
  const pid = hosts()[0]?.pid ?? 0;
  return until(
    () => buildsOf(pid),
    ({ length }) => length === 2,
  );
}

test('several builds share one build host process', async () => {
  const results = await Promise.all([host.build(EMPTY, {}), host.build(requestOf('const y = ;'), {})]);
  expect(results).toEqual([
    expect.objectContaining({ code: expect.any(String) }),
    { problems: [expect.objectContaining({ file: 'main.js' })] },
  ]);
  expect(hosts()).toHaveLength(1);
});

test('if the build host is killed, running builds fail with 503 and the next build works', async () => {
  const { ended, host: pid, build } = await running();
  process.kill(pid, 'SIGKILL');
  expect(await ended).toMatchObject({ code: 'service_unavailable' });
  expect(await host.build(EMPTY, {})).toHaveProperty('code');
  process.kill(-build, 'SIGKILL'); // It would run until it is done.
});

test('each build has a process of its own: the older of two that were started in advance', async () => {
  const [older, newer] = (await waitingProcesses()) as [number, number];
  await host.build(EMPTY, {});
  expect([older, newer].map(isAlive)).toEqual([false, true]);
});

test('a large build takes the newer of two waiting processes and leaves the older to other builds', async () => {
  const [older, newer] = (await waitingProcesses()) as [number, number];
  await host.build({ ...EMPTY, nice: LONG.nice }, {});
  expect([older, newer].map(isAlive)).toEqual([true, false]);
});

test('build processes that die while they wait are replaced', async () => {
  const waiting = await waitingProcesses();
  for (const pid of waiting) process.kill(pid, 'SIGKILL');
  await until(
    () => waiting.some(isAlive),
    alive => !alive,
  );
  expect(await host.build(EMPTY, {})).toHaveProperty('code');
});

test('a build process runs with the priority of its request', async () => {
  const { ended, build } = await running();
  process.kill(-build, 'SIGKILL');
  expect(await ended).toBeNull();
});

test('the build host and its build processes end when the backend ends', async () => {
  const { ended, host: pid, build } = await running();
  host.close();
  expect(await ended).toMatchObject({ code: 'service_unavailable' });
  await until(
    () => isAlive(pid) || isAlive(build),
    alive => !alive,
  );
});
