import { join } from 'node:path';
import { SANDBOX_LAYERS, type SandboxLayer, type SandboxLayerName, type SandboxLevel } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { Chromium } from '../browser/find-chromium.js';
import type { Egress } from '../egress/egress.js';
import { BubblewrapExecutor } from './bubblewrap-executor.js';
import { type Cgroups, type GroupNames, openCgroups } from './cgroups.js';
import type { Executor } from './executor.js';
import { type LimitSettings, mostFiles } from './limits.js';
import { ProcessExecutor } from './process-executor.js';
import { seesProcesses } from './process-table.js';
import { lookInside, type SeenInside } from './sandbox-probe.js';
import { makeSandboxRoot } from './sandbox-root.js';
import { seccompFilter } from './seccomp-filter.js';
import { findSetpriv } from './setpriv.js';
import { Spawner } from './spawner.js';
import { findTool } from './tools.js';
import type { UserBlock } from './user-block.js';

export interface ExecutorNeeds {
  /** The worker's own folder. */
  folder: string;
  /** Holds the folder of each process that has no sandbox. */
  places: string;
  /** Folder of the runner and the stock libraries. */
  runtime: string;
  libraries: string;
  users: UserBlock | null;
  /** The strongest level that is wanted. */
  atMost: SandboxLevel;
  limits: LimitSettings;
  /** How runs are kept from private addresses; null, with why not, where they are not. */
  egress: { way: Egress | null; note: string };
  /** What runs of the environment `browser` are given; null where there is none. */
  chromium: Chromium | null;
  groups: GroupNames;
  log: Logger;
}

type Notes = Record<SandboxLayerName, { holds: boolean; note: string }>;

const OWN_USER = { holds: true, note: 'A user id for each run.' };
const SHARED_USER = {
  holds: false,
  note: 'Runs have the user of the worker. Start the worker as root on Linux, so that each run gets a user id of its own.',
};

/** The strongest executor that works on this machine, found by trying: each layer is looked at from inside a run. */
export async function chooseExecutor(needs: ExecutorNeeds): Promise<Executor> {
  const { users, atMost, log } = needs;
  const reason =
    atMost === 'full'
      ? await bubblewrapOr(needs)
      : `TRAWL_SANDBOX is ${atMost}: leave it out for the strongest that this machine offers.`;
  if (typeof reason !== 'string') return reason;
  log.warn({ reason }, 'runs cannot have a sandbox');
  const setpriv = await findSetpriv();
  const candidates = [
    ...(users && atMost !== 'none' ? [{ users, setpriv }] : []),
    { users: null, setpriv },
    { users: null, setpriv: null },
  ];
  for (const candidate of candidates) {
    const executor = plainExecutor(needs, candidate, reason);
    try {
      await lookInside(executor, join(needs.folder, 'lock'));
      log.info({ sandbox: executor.level, layers: executor.layers }, 'runs are made');
      return executor;
    } catch (error) {
      const { users: own, setpriv: tied } = candidate;
      log.warn({ own_user: own !== null, setpriv: tied !== null, reason: String(error) }, 'runs cannot be made so');
    }
  }
  throw new Error(
    `No process for a run can be started on this machine: see the reasons above. Their folders are in ${needs.places}.`,
  );
}

function plainExecutor(
  { runtime, places, libraries, limits, egress, chromium, atMost }: ExecutorNeeds,
  { users, setpriv }: { users: UserBlock | null; setpriv: string | null },
  reason: string,
): Executor {
  const missing = { holds: false, note: reason };
  const layers = layersOf({
    own_user: users ? OWN_USER : atMost === 'none' ? missing : SHARED_USER,
    namespaces: missing,
    syscalls: missing,
    limits: { holds: false, note: `${watchedNote()} ${reason}` },
    // The other way is a network of the sandbox's own.
    egress: egress.way?.how === 'nftables' && users ? { holds: true, note: egress.note } : missing,
  });
  const options = { runner: join(runtime, 'runner.cjs'), folders: places, libraries, users, chromium, setpriv, limits };
  return new ProcessExecutor(options, { level: users ? 'reduced' : 'none', layers });
}

const watchedNote = (): string =>
  seesProcesses()
    ? 'Memory, processes and processor time are watched, the disk is not.'
    : 'The heap of JavaScript and the time of a run are limited, nothing else is: this system has no /proc to watch.';

/** The executor that makes sandboxes, or why there is none here. */
async function bubblewrapOr(needs: ExecutorNeeds): Promise<Executor | string> {
  const { users, egress, log, runtime, libraries, folder, limits, chromium } = needs;
  if (process.platform !== 'linux')
    return 'Sandboxes are made on Linux only: run the worker on Linux for the full level.';
  const filter = seccompFilter(process.arch, { unixSockets: egress.way?.sharesHostNetwork === false });
  if (!filter) return `No filter of system calls is known for the processor architecture ${process.arch}.`;
  let cgroups: Cgroups | null = null;
  let watched = '';
  try {
    cgroups = await openCgroups(needs.groups);
  } catch (error) {
    watched = (error as Error).message;
  }
  const spawner = new Spawner(
    new URL('./spawner-process.js', import.meta.url),
    cgroups?.folders ?? [],
    mostFiles(limits),
    log,
  );
  try {
    const { path: bubblewrap } = await findTool('bwrap', log);
    const root = join(folder, 'sandbox-root');
    await makeSandboxRoot(root, { node: process.execPath, runtime, libraries, chromium });
    const networkArguments = (place: number) => egress.way?.networkArguments(place) ?? [];
    const options = {
      bubblewrap,
      spawner,
      root,
      runtime,
      libraries,
      folder,
      users,
      cgroups,
      filter,
      limits,
      chromium,
      networkArguments,
    };
    const tried = new BubblewrapExecutor(options, { level: 'none', layers: [] });
    const seen = await lookInside(tried, join(folder, 'lock'));
    const layers = layersOf({
      own_user: users && seen.uid === users.uidOf(0) ? OWN_USER : SHARED_USER,
      namespaces: namespacesOf(seen),
      syscalls: {
        holds: seen.filtered,
        note: seen.filtered ? 'A filter of system calls.' : 'The kernel has no filter of system calls (seccomp).',
      },
      limits: {
        holds: true,
        note: cgroups
          ? 'Control groups of the kernel hold each run.'
          : `The worker watches each run. ${watched}`.slice(0, 500),
      },
      egress: { holds: egress.way !== null, note: egress.note },
    });
    const isFull = layers.every(({ holds }) => holds);
    const executor = new BubblewrapExecutor(options, { level: isFull ? 'full' : 'reduced', layers });
    log.info({ sandbox: executor.level, layers }, 'runs are made');
    return executor;
  } catch (error) {
    spawner.close();
    return `${error instanceof Error ? error.message : error}`.slice(0, 400);
  }
}

const namespacesOf = ({ worker }: SeenInside) =>
  worker
    ? { holds: false, note: 'A run in the sandbox sees the worker all the same.' }
    : { holds: true, note: 'bubblewrap: processes, files, IPC and names of its own.' };

const layersOf = (notes: Notes): SandboxLayer[] => SANDBOX_LAYERS.map(name => ({ name, ...notes[name] }));
