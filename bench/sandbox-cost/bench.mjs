// @ts-check
// What each layer of the sandbox costs, in time from the start of a process to its end, with a Node that does nothing; and
// what a parked process holds in memory. As root on Linux, with bubblewrap on the machine or in the cache folder.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endGroups, startInside } from '@trawl/worker/dist/executor/cgroup-files.js';
import { groupNames, openCgroups } from '@trawl/worker/dist/executor/cgroups.js';
import { limitsOf } from '@trawl/worker/dist/executor/limits.js';
import { sandboxArguments } from '@trawl/worker/dist/executor/sandbox-arguments.js';
import { makeSandboxRoot } from '@trawl/worker/dist/executor/sandbox-root.js';
import { seccompFilter } from '@trawl/worker/dist/executor/seccomp-filter.js';
import { findTool } from '@trawl/worker/dist/executor/tools.js';
import { pino } from 'pino';
import { makeDataDir, median } from '../platform.mjs';
import { startLoneWorker } from '../worker.mjs';

const ROUNDS = 60;
/** Of the time that a Node without any layer takes. */
const GOAL = 1.25;
const UID = 61_999;
const FILTER_FD = 3;
const INFO_FD = 4;
const BLOCK_FD = 5;
const RUNTIME = fileURLToPath(new URL('../../worker/dist/runtime', import.meta.url));

const { dataDir, remove } = makeDataDir();
const filterFile = join(dataDir, 'filter.bpf');
writeFileSync(filterFile, /** @type {Buffer} */ (seccompFilter(process.arch, { unixSockets: false })), { mode: 0o644 });
const { path: bwrap } = await findTool('bwrap', pino({ level: 'silent' }));
const sources = { node: process.execPath, runtime: RUNTIME, libraries: dataDir, chromium: null };
const root = join(dataDir, 'root');
await makeSandboxRoot(root, sources);
/** @param {string[]} network */
const sandbox = network =>
  sandboxArguments({
    root,
    ...sources,
    diskBytes: limits.diskMb * 1024 * 1024,
    network,
  });
const node = [process.execPath, '-e', '0'];
const inside = ['--', '/trawl/bin/node', '-e', '0'];
const limits = limitsOf('nodejs', {});
const cgroups = await openCgroups(groupNames(dataDir, randomUUID())).catch(error => {
  console.log(`Without control groups: ${error.message}`);
  return null;
});
const group = cgroups?.group(0);
group?.limit(limits);
/** It tells its number and waits, as for the worker: a group of version 2 is entered by it. */
const waits = group ? ['--info-fd', String(INFO_FD), '--block-fd', String(BLOCK_FD)] : [];

/** @type {{ layer: string, program: string[], own: boolean, filter?: boolean, grouped?: boolean }[]} */
const steps = [
  { layer: 'none: node', program: node, own: false },
  { layer: '+ user id', program: node, own: true },
  { layer: '+ namespaces', program: [bwrap, ...sandbox([]), ...inside], own: true },
  {
    layer: '+ system calls',
    program: [bwrap, '--seccomp', String(FILTER_FD), ...sandbox([]), ...inside],
    own: true,
    filter: true,
  },
  ...(group
    ? [
        {
          layer: '+ limits (control groups)',
          program: [bwrap, '--seccomp', String(FILTER_FD), ...waits, ...sandbox([]), ...inside],
          own: true,
          filter: true,
          grouped: true,
        },
      ]
    : []),
  {
    layer: '+ egress by a network of its own',
    program: [bwrap, '--seccomp', String(FILTER_FD), ...waits, ...sandbox(['--unshare-net']), ...inside],
    own: true,
    filter: true,
    grouped: group !== undefined,
  },
];

/** @param {(typeof steps)[number]} step */
async function ended({ program: [file = '', ...args], own, filter, grouped }) {
  const fd = filter ? openSync(filterFile, 'r') : 'ignore';
  const began = performance.now();
  const child = startInside(grouped && group ? group.entrance : null, () =>
    spawn(file, args, {
      env: {},
      cwd: '/',
      stdio: ['ignore', 'ignore', 'inherit', fd, ...(grouped ? /** @type {const} */ (['pipe', 'pipe']) : [])],
      ...(own ? { uid: UID, gid: UID } : {}),
    }),
  );
  const exit = once(child, 'exit');
  if (grouped) await letGo(child);
  const [code] = await exit;
  const ms = performance.now() - began;
  if (typeof fd === 'number') closeSync(fd);
  if (code !== 0) throw new Error(`${file} ended with ${code}`);
  return ms;
}

/** @param {import('node:child_process').ChildProcess} child */
async function letGo({ stdio }) {
  let told = '';
  for await (const bytes of /** @type {import('node:stream').Readable} */ (stdio[INFO_FD])) {
    told += bytes;
    if (told.includes('}')) break;
  }
  if (group?.entrance.by === 'pid') writeFileSync(group.entrance.file, String(JSON.parse(told)['child-pid']));
  /** @type {import('node:stream').Writable} */ (stdio[BLOCK_FD]).end('\n');
}

/** Memory that processes of a user hold, shared pages by their part. @param {(uid: number) => boolean} isOf */
function heldBy(isOf) {
  let kilobytes = 0;
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const uid = Number(/^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
      if (!isOf(uid)) continue;
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It has ended meanwhile.
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
      'more than before (ms)':
        index === 0 ? '-' : Number(((medians[index] ?? 0) - (medians[index - 1] ?? 0)).toFixed(1)),
    })),
  );

  const worker = await startLoneWorker({ CHROME_PATH: '/nonexistent' });
  try {
    const { environments } = worker;
    const block = Number(readFileSync(join(worker.dataDir, 'worker', 'user-block'), 'utf8'));
    const first = 62_000 + 64 * block;
    const isOfRun = (/** @type {number} */ uid) => uid >= first && uid < first + 64;
    // Until all that is to be parked is.
    let [before, held] = [-1, 0];
    while (held !== before || held === 0) {
      before = held;
      await pause(2_000);
      held = Math.round(heldBy(isOfRun));
    }
    const uids = new Set();
    heldBy(uid => isOfRun(uid) && uids.add(uid) && false);
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
  await endGroups(cgroups?.folders ?? []);
  remove();
}
