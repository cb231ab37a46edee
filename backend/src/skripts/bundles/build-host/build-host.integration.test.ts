import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { until } from '../../../../test/until.js';
import { BuildHost } from './build-host.js';

const requestOf = (content: string) => ({
  files: [{ name: 'main.js', content }],
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
const buildOf = (host: number) =>
  processes().find(({ parent, command }) => parent === host && command.includes('bundle-child'));
const isAlive = (pid: number) => processes().some(row => row.pid === pid);

const host = new BuildHost();
afterAll(() => host.close());

/** Starts a build, and returns the host and the process of the build as soon as both are running. */
async function running() {
  const ended = host.build(LONG, {}).catch((error: Error) => error);
  const pids = await until(
    () => {
      const pid = hosts()[0]?.pid;
      return pid ? [pid, buildOf(pid)?.pid] : [];
    },
    ([, build]) => build !== undefined,
  );
  return { ended, host: pids[0] as number, build: pids[1] as number };
}

test('several builds share one host', async () => {
  const results = await Promise.all([host.build(EMPTY, {}), host.build(requestOf('const y = ;'), {})]);
  expect(results).toEqual([
    expect.objectContaining({ code: expect.any(String) }),
    { problems: [expect.objectContaining({ file: 'main.js' })] },
  ]);
  expect(hosts()).toHaveLength(1);
});

test('after the host was killed, running builds fail with 503 and the next build works', async () => {
  const { ended, host: pid, build } = await running();
  process.kill(pid, 'SIGKILL');
  expect(await ended).toMatchObject({ code: 'service_unavailable' });
  expect(await host.build(EMPTY, {})).toHaveProperty('code');
  process.kill(-build, 'SIGKILL'); // It would run until it is done.
});

test('a build has the priority of its request', async () => {
  const { ended, build } = await running();
  expect(os.getPriority(build)).toBe(LONG.nice);
  process.kill(-build, 'SIGKILL');
  expect(await ended).toBeNull();
});

test('when the backend ends, so do the host and the processes of builds', async () => {
  const { ended, host: pid, build } = await running();
  host.close();
  expect(await ended).toMatchObject({ code: 'service_unavailable' });
  await until(
    () => isAlive(pid) || isAlive(build),
    alive => !alive,
  );
});
