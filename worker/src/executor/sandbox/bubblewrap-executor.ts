import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment, RunNode, SandboxLayer, SandboxLevel } from '@trawl/contracts';
import type { EgressFilter } from '../../egress/egress.js';
import { runEnvironment } from '../../environments/environments.js';
import { clearUser, freezeAllOf, killOne, thawAllOf } from '../../process/process-table.js';
import type { RunLimits, RunProcess } from '../../process/run-process.js';
import type { UserBlock } from '../../process/user-block.js';
import { COMMANDS_FD, MESSAGES_FD } from '../../protocol/pipe-messages.js';
import type { Cgroup, Cgroups } from '../cgroups/cgroups.js';
import { type LimitSettings, limitsOf } from '../limits/limit-settings.js';
import {
  cgroupTest,
  cgroupUse,
  diskTest,
  LimitWatch,
  openFilesTest,
  processesTest,
  processesUse,
} from '../limits/limit-watch.js';
import type { Chromium } from '../port/chromium.js';
import type { Executor } from '../port/executor.js';
import type { NodeBinaries } from '../run-nodes.js';
import type { Spawned, Spawner } from '../spawner/spawner.js';
import { ARGUMENTS_FD, BLOCK_FD, FILTER_FD, INFO_FD } from '../spawner/spawner-messages.js';
import { INSIDE, type SandboxMount, sandboxArguments } from './sandbox-arguments.js';

export interface BubblewrapOptions {
  /** Path of the program bwrap. */
  bubblewrap: string;
  spawner: Spawner;
  /** The folder that `makeSandboxRoot` created. */
  root: string;
  nodes: NodeBinaries;
  /** Folder of the runner and the built-in libraries, which the users of runs can read. */
  runtime: string;
  /** The folders below `INSIDE.libraries`. */
  libraries: SandboxMount[];
  /** The worker's own folder, for the files that bubblewrap reads. */
  folder: string;
  /** Gives each slot its own user id; null when runs have the worker's user id. */
  users: UserBlock | null;
  /** Null on a machine where the worker cannot use cgroups. The worker itself then measures the resources that runs use. */
  cgroups: Cgroups | null;
  /** The filter program that `seccompFilter` returned. */
  filter: Buffer;
  limits: LimitSettings;
  /** The browser for runs of the environment `browser`; null if there is none. */
  chromium: Chromium | null;
  /** The networks of slots; null if runs share the network of the machine. */
  network: Pick<EgressFilter, 'prepare' | 'networkArguments'> | null;
}

/** The network of a process that has none but its own loopback. */
const OFFLINE: NonNullable<BubblewrapOptions['network']> = {
  prepare: async () => null,
  networkArguments: () => ['--unshare-net'],
};

/**
 * Starts each process in its own sandbox. bubblewrap gives the process its own users, processes and files, and cgroups
 * limit what it uses. When the first process of a sandbox ends, the kernel ends all others in it.
 */
export class BubblewrapExecutor implements Executor {
  readonly level: SandboxLevel;
  readonly layers: SandboxLayer[];
  readonly #options: BubblewrapOptions;
  readonly #limits = new Map<Environment, RunLimits>();
  readonly #files = new Map<string, Promise<string>>();

  constructor(options: BubblewrapOptions, report: { level: SandboxLevel; layers: SandboxLayer[] }) {
    this.#options = options;
    this.level = report.level;
    this.layers = report.layers;
  }

  background(): string[] {
    return this.#options.cgroups?.background() ?? [];
  }

  async start(slotIndex: number, environment: Environment, version?: RunNode, isOffline = false): Promise<RunProcess> {
    const { bubblewrap, spawner, users, cgroups } = this.#options;
    const network = isOffline ? OFFLINE : this.#options.network;
    const limits = this.#limitsOf(environment);
    const group = cgroups?.group(slotIndex) ?? null;
    group?.limit(limits);
    group?.share(1);
    // Thaw the cgroup, because the spawner enters it to start the process and would be frozen too.
    group?.thaw();
    const spawned = await spawner.start({
      network: (await network?.prepare(slotIndex))?.file ?? null,
      program: bubblewrap,
      args: [
        ...['--args', String(ARGUMENTS_FD), '--seccomp', String(FILTER_FD)],
        ...['--info-fd', String(INFO_FD), '--block-fd', String(BLOCK_FD), '--'],
        ...[INSIDE.node, `--max-old-space-size=${limits.memoryMb}`, '--disable-warning=ExperimentalWarning'],
        `${INSIDE.runtime}/runner.cjs`,
      ],
      uid: users?.uidOf(slotIndex) ?? null,
      argumentsFile: await this.#argumentsFile(slotIndex, environment, limits, network, version),
      filterFile: await this.#fileOnce('filter.bpf', () => this.#options.filter),
      entry: group?.entry ?? null,
    });
    return runProcess(spawned, group, limits);
  }

  hasOther(node: RunNode): boolean {
    return this.#options.nodes.others[node] !== undefined;
  }

  async clear(slotIndex: number): Promise<void> {
    const { users, cgroups } = this.#options;
    // Usually the kernel has ended all processes of the sandbox with its first one. Kill the processes that survived,
    // for example because they were waiting for a disk.
    const isLeft = cgroups ? cgroups.group(slotIndex).pids().length > 0 : false;
    if (isLeft && users) await clearUser(users.uidOf(slotIndex));
  }

  #limitsOf(environment: Environment): RunLimits {
    const known = this.#limits.get(environment) ?? limitsOf(environment, this.#options.limits);
    this.#limits.set(environment, known);
    return known;
  }

  async #argumentsFile(
    slotIndex: number,
    environment: Environment,
    limits: RunLimits,
    network: BubblewrapOptions['network'],
    version?: RunNode,
  ): Promise<string> {
    const { spawner, root, nodes, runtime, libraries, chromium } = this.#options;
    const hasSharedMounts = await spawner.hasSharedMounts();
    const other = version && nodes.others[version];
    const name = `${environment}-${slotIndex}${other ? `-${version}` : ''}${network === OFFLINE ? '-offline' : ''}${hasSharedMounts ? '' : '-all'}.args`;
    return this.#fileOnce(name, () => {
      const args = sandboxArguments({
        root,
        node: other ?? nodes.default,
        runtime,
        libraries,
        hasSharedMounts,
        chromium: runEnvironment(environment).hasChromium ? chromium : null,
        diskBytes: limits.diskMb * 1024 * 1024,
        network: network?.networkArguments(slotIndex) ?? [],
      });
      return args.map(arg => `${arg}\0`).join('');
    });
  }

  /** Returns the path of a file with this name. Writes the file when it is requested for the first time. */
  #fileOnce(name: string, content: () => string | Buffer): Promise<string> {
    const known = this.#files.get(name) ?? this.#write(name, content());
    this.#files.set(name, known);
    return known;
  }

  async #write(name: string, content: string | Buffer): Promise<string> {
    const file = join(this.#options.folder, 'sandbox', name);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content, { mode: 0o600 });
    return file;
  }
}

function runProcess({ outer, inner, pipes, ended }: Spawned, group: Cgroup | null, limits: RunLimits): RunProcess {
  const tests = () => [
    ...(group ? [cgroupTest(group, limits), openFilesTest(group, limits)] : [processesTest(outer, limits)]),
    ...[INSIDE.home, INSIDE.sharedMemory].map(folder => diskTest(`/proc/${inner.pid}/root${folder}`, limits)),
  ];
  const watch = new LimitWatch(limits, tests, group ? () => group.cpuMs() : undefined);
  const watchedEnd = ended.then(end => {
    watch.end();
    return end;
  });
  return {
    identity: outer,
    folder: INSIDE.home,
    libraries: INSIDE.libraries,
    limits,
    refusals: { ENOSPC: 'disk_limit', EMFILE: 'open_files' },
    limitReached: watch.reached,
    share: share => group?.share(share),
    usage: () => (group ? cgroupUse(group) : processesUse(outer)),
    look: () => watch.look(),
    begin: () => watch.begin(),
    commands: pipes[COMMANDS_FD],
    messages: pipes[MESSAGES_FD],
    stdout: pipes[1],
    stderr: pipes[2],
    ended: watchedEnd,
    freeze: () => (group ? group.freeze() : freezeAllOf(outer)),
    thaw: async () => (group ? group.thaw() : thawAllOf(outer)),
    kill: async () => {
      // Kill only the first process in the sandbox. bubblewrap's own process must stay alive, because it waits for its
      // child.
      killOne(inner);
      // Thaw the cgroup, because a frozen process does not end.
      group?.thaw();
      await watchedEnd;
    },
  };
}
