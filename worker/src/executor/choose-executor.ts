import { join } from 'node:path';
import { SANDBOX_LAYERS, type SandboxLayer, type SandboxLayerName, type SandboxLevel } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { ChosenEgress } from '../egress/egress.js';
import { seesProcesses } from '../process/process-table.js';
import type { UserBlock } from '../process/user-block.js';
import type { CgroupNames, Cgroups } from './cgroups/cgroups.js';
import { openCgroups } from './cgroups/open-cgroups.js';
import { type LimitSettings, limitsOf } from './limits/limit-settings.js';
import { ProcessExecutor } from './plain/process-executor.js';
import { findSetpriv } from './plain/setpriv.js';
import type { Chromium } from './port/chromium.js';
import type { Executor } from './port/executor.js';
import { type Isolation, probeIsolation } from './probe/isolation-probe.js';
import type { NodeBinaries } from './run-nodes.js';
import { BubblewrapExecutor } from './sandbox/bubblewrap-executor.js';
import { INSIDE, type SandboxMount, sharedMounts } from './sandbox/sandbox-arguments.js';
import { makeSandboxRoot } from './sandbox/sandbox-root.js';
import { seccompFilter } from './sandbox/seccomp-filter.js';
import { Spawner } from './spawner/spawner.js';
import { findTool } from './tools.js';

export interface ExecutorOptions {
  /** The worker's own folder. */
  folder: string;
  /** Folder that contains one folder for each process that runs without a sandbox. */
  processFolders: string;
  /** The binaries of Node for runs. */
  nodes: NodeBinaries;
  /** Folder of the runner and the built-in libraries. */
  runtime: string;
  /** Folder that contains one folder for each lock of npm libraries. */
  libraries: string;
  /** The entries of that folder that a sandbox shows, below `INSIDE.libraries`. By default it shows the whole folder. */
  libraryMounts?: SandboxMount[];
  users: UserBlock | null;
  /** The strongest sandbox level that the worker may use. */
  atMost: SandboxLevel;
  limits: LimitSettings;
  egress: ChosenEgress;
  /** The browser for runs of the environment `browser`; null if there is none. */
  chromium: Chromium | null;
  cgroups: CgroupNames;
  log: Logger;
}

type LayerNote = { holds: boolean; note: string };

const OWN_USER = { holds: true, note: 'Each run has its own user id.' };
const SHARED_USER = {
  holds: false,
  note: "Runs share the worker's user. Start the worker as root on Linux to give each run its own user id.",
};

/**
 * Chooses the executor with the strongest isolation that works on this machine. A test run checks each layer of
 * isolation from the inside.
 * See docs/decisions/0029-sandbox-of-a-slot.md.
 */
export async function chooseExecutor(options: ExecutorOptions): Promise<Executor> {
  const { users, atMost, log } = options;
  const sandboxed =
    atMost === 'full'
      ? await tryBubblewrap(options)
      : `TRAWL_SANDBOX is ${atMost}. Unset it to use the strongest sandbox of this machine.`;
  if (typeof sandboxed !== 'string') return sandboxed;
  const reason = sandboxed;
  log.warn({ reason }, 'runs have no sandbox');
  const setpriv = await findSetpriv();
  const candidates = [
    ...(users && atMost !== 'none' ? [{ users, setpriv }] : []),
    { users: null, setpriv },
    { users: null, setpriv: null },
  ];
  for (const candidate of candidates) {
    const executor = plainExecutor(options, candidate, reason);
    try {
      await probeIsolation(executor, join(options.folder, 'lock'));
      log.info({ sandbox: executor.level, layers: executor.layers }, 'sandbox chosen');
      return executor;
    } catch (error) {
      const { users: own, setpriv: tied } = candidate;
      log.warn({ own_user: own !== null, setpriv: tied !== null, reason: String(error) }, 'process probe failed');
    }
  }
  throw new Error(
    `The worker cannot start a process for a run. The log lines \`process probe failed\` say why. Process folders: ${options.processFolders}.`,
  );
}

function plainExecutor(
  { nodes, runtime, processFolders, libraries, limits, egress, chromium, atMost }: ExecutorOptions,
  { users, setpriv }: { users: UserBlock | null; setpriv: string | null },
  reason: string,
): Executor {
  const missing = { holds: false, note: reason };
  // Without a sandbox, only network namespaces work. The proxy needs a sandbox with its own network.
  const filter = egress.filter?.kind === 'namespaces' && users ? egress.filter : null;
  const layers = layersOf({
    own_user: users ? OWN_USER : atMost === 'none' ? missing : SHARED_USER,
    namespaces: missing,
    syscalls: missing,
    limits: { holds: false, note: `${monitoredNote()} ${reason}` },
    egress: filter ? { holds: true, note: egress.note } : missing,
  });
  const options = {
    nodes,
    runner: join(runtime, 'runner.cjs'),
    folders: processFolders,
    libraries,
    users,
    chromium,
    setpriv,
    network: filter,
    limits,
  };
  return new ProcessExecutor(options, { level: users ? 'reduced' : 'none', layers });
}

const monitoredNote = (): string =>
  seesProcesses()
    ? 'The worker monitors memory, processes and processor time, but not the disk.'
    : 'Only the JavaScript heap and the duration of a run are limited: this system has no /proc to monitor.';

/** Returns the executor that uses bubblewrap, or the reason why it does not work on this machine. */
async function tryBubblewrap(options: ExecutorOptions): Promise<Executor | string> {
  const { egress, log, folder } = options;
  if (process.platform !== 'linux') return 'Sandboxes need Linux: run the worker on Linux for the sandbox level full.';
  const filter = seccompFilter(process.arch);
  if (!filter) return `Trawl has no system call filter for the processor architecture ${process.arch}.`;
  const { cgroups, missing } = await tryCgroups(options.cgroups);
  let spawner: Spawner | undefined;
  try {
    const bubblewrap = await bubblewrapOptions(options, { cgroups, filter });
    spawner = bubblewrap.spawner;
    const tried = new BubblewrapExecutor(bubblewrap, { level: 'none', layers: [] });
    const isolation = await probeIsolation(tried, join(folder, 'lock'));
    const layers = layersOf({
      ...layersSeen(isolation, options.users),
      limits: {
        holds: true,
        note: limitsNote(cgroups, missing).slice(0, 500),
      },
      egress: { holds: egress.filter !== null, note: egress.note },
    });
    const isFull = layers.every(({ holds }) => holds);
    const executor = new BubblewrapExecutor(bubblewrap, { level: isFull ? 'full' : 'reduced', layers });
    log.info({ sandbox: executor.level, layers }, 'sandbox chosen');
    return executor;
  } catch (error) {
    spawner?.close();
    return `${error instanceof Error ? error.message : error}`.slice(0, 400);
  }
}

function limitsNote(cgroups: Cgroups | null, missing: string): string {
  if (!cgroups) return `The worker monitors each run. ${missing}`;
  return cgroups.unshared === null
    ? 'Kernel cgroups limit each run and share the processors between runs.'
    : `Kernel cgroups limit each run. ${cgroups.unshared}`;
}

async function tryCgroups(names: CgroupNames): Promise<{ cgroups: Cgroups | null; missing: string }> {
  try {
    return { cgroups: await openCgroups(names), missing: '' };
  } catch (error) {
    return { cgroups: null, missing: (error as Error).message };
  }
}

async function bubblewrapOptions(options: ExecutorOptions, parts: { cgroups: Cgroups | null; filter: Buffer }) {
  const { egress, nodes, runtime, libraries: shared, libraryMounts, folder, users, limits, chromium, log } = options;
  const { path: bubblewrap } = await findTool('bwrap', log);
  const root = join(folder, 'sandbox-root');
  const libraries = libraryMounts ?? [{ inside: INSIDE.libraries, outside: shared, isNeeded: true }];
  const sources = { node: nodes.default, runtime, libraries, chromium };
  await makeSandboxRoot(root, sources);
  const script = new URL('./spawner/spawner-process.js', import.meta.url);
  const { openFiles } = limitsOf('nodejs', limits);
  const groups = parts.cgroups ? [...parts.cgroups.folders, ...parts.cgroups.backgroundFolders] : [];
  const spawner = new Spawner(script, { openFiles, groups, mounts: sharedMounts(root, sources) }, log);
  const network = egress.filter;
  return { ...parts, spawner, bubblewrap, root, nodes, runtime, libraries, folder, users, limits, chromium, network };
}

/** The layers that the probe sees from inside the sandbox. */
function layersSeen({ uid, seesWorker, hasSeccompFilter }: Isolation, users: UserBlock | null) {
  return {
    own_user: users && uid === users.uidOf(0) ? OWN_USER : SHARED_USER,
    namespaces: seesWorker
      ? { holds: false, note: 'A run in the sandbox can still see the worker.' }
      : { holds: true, note: 'bubblewrap gives each run its own processes, files, IPC and host name.' },
    syscalls: {
      holds: hasSeccompFilter,
      note: hasSeccompFilter
        ? 'A seccomp filter allows only the system calls that programs need.'
        : 'The kernel does not support filters of system calls (seccomp).',
    },
  };
}

const layersOf = (notes: Record<SandboxLayerName, LayerNote>): SandboxLayer[] =>
  SANDBOX_LAYERS.map(name => ({ name, ...notes[name] }));
