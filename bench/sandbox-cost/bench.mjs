// @ts-check
// Cost of each sandbox layer: the time from the start to the exit of an empty Node program, and the memory of parked
// processes. Run it as root on Linux, with bubblewrap on the PATH or in the cache folder.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { removeCgroups, startInCgroup } from '@trawl/worker/dist/executor/cgroups/cgroup-files.js';
import { cgroupNames, openCgroups } from '@trawl/worker/dist/executor/cgroups/open-cgroups.js';
import { limitsOf } from '@trawl/worker/dist/executor/limits/limit-settings.js';
import { INSIDE, sandboxArguments, sharedMounts } from '@trawl/worker/dist/executor/sandbox/sandbox-arguments.js';
import { makeSandboxRoot } from '@trawl/worker/dist/executor/sandbox/sandbox-root.js';
import { seccompFilter } from '@trawl/worker/dist/executor/sandbox/seccomp-filter.js';
import { inNamespace, mountOnce } from '@trawl/worker/dist/executor/spawner/kernel-calls.js';
import { findTool } from '@trawl/worker/dist/executor/tools.js';
import { pino } from 'pino';
import { makeDataDir, median, RUN_NODE } from '../platform.mjs';
import { startLoneWorker } from '../worker.mjs';

const ROUNDS = 60;
/** Highest allowed time, as a multiple of the time of Node without any sandbox layer. */
const GOAL = 1.25;
const UID = 61_999;
const FILTER_FD = 3;
const INFO_FD = 4;
const BLOCK_FD = 5;
const RUNTIME = fileURLToPath(new URL('../../worker/dist/runtime', import.meta.url));

const { dataDir, remove } = makeDataDir();
const filterFile = join(dataDir, 'filter.bpf');
writeFileSync(filterFile, /** @type {Buffer} */ (seccompFilter(process.arch)), { mode: 0o644 });
const { path: bwrap } = await findTool('bwrap', pino({ level: 'silent' }));
const libraries = [{ inside: INSIDE.libraries, outside: dataDir, isNeeded: true }];
const sources = { node: RUN_NODE, runtime: RUNTIME, libraries, chromium: null };
const root = join(dataDir, 'root');
await makeSandboxRoot(root, sources);
const node = [RUN_NODE, '-e', '0'];
const inside = ['--', '/trawl/bin/node', '-e', '0'];
const limits = limitsOf('nodejs', {});
const cgroups = await openCgroups(cgroupNames(dataDir, randomUUID())).catch(error => {
  console.log(`No control groups: ${error.message}`);
  return null;
});
const mounts = mountOnce(sharedMounts(root, sources));
const disk = { diskBytes: limits.diskMb * 1024 * 1024, network: [], hasSharedMounts: true };
const sandbox = sandboxArguments({ root, ...sources, ...disk });
const ip = await findTool('ip', pino({ level: 'silent' }));
const network = `trawl-bench-${process.pid}`;
execFileSync(ip.path, ['netns', 'add', network], { env: ip.environment });
const group = cgroups?.group(0);
group?.limit(limits);
/**
 * With these arguments bubblewrap reports the process id of its child and waits. The worker uses them, too: it moves
 * the child into a cgroup by its process id.
 */
const waits = group ? ['--info-fd', String(INFO_FD), '--block-fd', String(BLOCK_FD)] : [];

/** @type {{ layer: string, program: string[], own: boolean, filter?: boolean, grouped?: boolean, network?: string }[]} */
const steps = [
  { layer: 'none: node', program: node, own: false },
  { layer: '+ user id', program: node, own: true },
  { layer: '+ namespaces', program: [bwrap, ...sandbox, ...inside], own: true },
  {
    layer: '+ system calls',
    program: [bwrap, '--seccomp', String(FILTER_FD), ...sandbox, ...inside],
    own: true,
    filter: true,
  },
  {
    layer: '+ limits (control groups)',
    program: [bwrap, '--seccomp', String(FILTER_FD), ...waits, ...sandbox, ...inside],
    own: true,
    filter: true,
    grouped: group !== undefined,
  },
  {
    layer: '+ egress (network of the slot)',
    program: [bwrap, '--seccomp', String(FILTER_FD), ...waits, ...sandbox, ...inside],
    own: true,
    filter: true,
    grouped: group !== undefined,
    network: `/run/netns/${network}`,
  },
];

/** @param {(typeof steps)[number]} step */
async function ended({ program: [file = '', ...args], own, filter, grouped, network }) {
  const fd = filter ? openSync(filterFile, 'r') : 'ignore';
  const began = performance.now();
  const start = () =>
    spawn(file, args, {
      env: {},
      cwd: '/',
      stdio: ['ignore', 'ignore', 'inherit', fd, ...(grouped ? /** @type {const} */ (['pipe', 'pipe']) : [])],
      ...(own ? { uid: UID, gid: UID } : {}),
    });
  const inMounts = () => inNamespace('mounts', mounts, start);
  const child = startInCgroup(grouped && group ? group.entry : null, () =>
    inNamespace('network', network ?? null, inMounts),
  );
  const exit = once(child, 'exit');
  if (grouped) await unblock(child);
  const [code] = await exit;
  const ms = performance.now() - began;
  if (typeof fd === 'number') closeSync(fd);
  if (code !== 0) throw new Error(`${file} exited with ${code}`);
  return ms;
}

/** @param {import('node:child_process').ChildProcess} child */
async function unblock({ stdio }) {
  let info = '';
  for await (const bytes of /** @type {import('node:stream').Readable} */ (stdio[INFO_FD])) {
    info += bytes;
    if (info.includes('}')) break;
  }
  if (group?.entry.by === 'pid') writeFileSync(group.entry.file, String(JSON.parse(info)['child-pid']));
  /** @type {import('node:stream').Writable} */ (/** @type {readonly unknown[]} */ (stdio)[BLOCK_FD]).end('\n');
}

/**
 * Returns the memory in MB of all processes of the chosen users. A shared page counts in part for each process that
 * shares it.
 * @param {(uid: number) => boolean} isOf
 */
function memoryOf(isOf) {
  let kilobytes = 0;
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const uid = Number(/^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
      if (!isOf(uid)) continue;
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // The process has exited in the meantime.
    }
  }
  return kilobytes / 1024;
}

try {
  /** @type {number[][]} */
  const times = steps.map(() => []);
  for (let round = -3; round < ROUNDS; round++) {
    for (const [index, step] of steps.entries()) {
      const ms = await ended(step);
      if (round >= 0) times[index]?.push(ms);
    }
  }
  const medians = times.map(median);
  console.table(
    steps.map(({ layer }, index) => ({
      layer,
      'start to end (ms)': Number(medians[index]?.toFixed(1)),
      'added (ms)': index === 0 ? '-' : Number(((medians[index] ?? 0) - (medians[index - 1] ?? 0)).toFixed(1)),
    })),
  );

  const worker = await startLoneWorker({ CHROME_PATH: '/bin/false' });
  try {
    const { environments } = worker;
    const first = Number(readFileSync(join(worker.dataDir, 'worker', 'user-block'), 'utf8'));
    const isOfRun = (/** @type {number} */ uid) => uid >= first && uid < first + (first < 1_900_000_000 ? 64 : 512);
    // Wait until the worker has parked all its processes.
    let [before, held] = [-1, 0];
    while (held !== before || held === 0) {
      before = held;
      await pause(2_000);
      held = Math.round(memoryOf(isOfRun));
    }
    const uids = new Set();
    memoryOf(uid => isOfRun(uid) && uids.add(uid) && false);
    console.table([
      {
        environments: environments.join(', '),
        sandbox: worker.sandbox,
        'parked processes': uids.size,
        'MB held': held,
        'MB each': Number((held / uids.size).toFixed(1)),
      },
    ]);
  } finally {
    await worker.stop();
  }
  const ratio = Number(((medians.at(-1) ?? 0) / (medians[0] ?? 1)).toFixed(2));
  console.log(JSON.stringify({ bench: 'sandbox-cost', ratio, goal: GOAL }));
} finally {
  execFileSync(ip.path, ['netns', 'delete', network], { env: ip.environment });
  await removeCgroups(cgroups?.folders ?? []);
  remove();
}
