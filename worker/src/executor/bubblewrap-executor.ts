import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment, SandboxLayer, SandboxLevel } from '@trawl/contracts';
import type { Chromium } from '../browser/find-chromium.js';
import { COMMANDS_FD, MESSAGES_FD } from '../pipe-messages.js';
import type { Cgroups, RunGroup } from './cgroups.js';
import type { Executor, RunProcess } from './executor.js';
import { diskTest, groupTest, LimitWatch, processesTest } from './limit-watch.js';
import { type LimitSettings, limitsOf, type RunLimits } from './limits.js';
import { clearUser, freezeAllOf, killOne, thawAllOf } from './process-table.js';
import { INSIDE, sandboxArguments } from './sandbox-arguments.js';
import type { Spawned, Spawner } from './spawner.js';
import { ARGUMENTS_FD, BLOCK_FD, FILTER_FD, INFO_FD } from './spawner-messages.js';
import type { UserBlock } from './user-block.js';

export interface BubblewrapOptions {
  /** Path of the program. */
  bubblewrap: string;
  spawner: Spawner;
  /** The folder of `makeSandboxRoot`. */
  root: string;
  /** Folder of the runner and the stock libraries, which the users of runs can read. */
  runtime: string;
  /** Holds a folder for each lock of npm libraries. */
  libraries: string;
  /** The worker's own, for the files that bubblewrap gets. */
  folder: string;
  /** Where each place has a user id of its own from; null where runs have the worker's. */
  users: UserBlock | null;
  /** Null where there are none: then it is watched what runs use. */
  cgroups: Cgroups | null;
  /** The program of `seccompFilter`. */
  filter: Buffer;
  limits: LimitSettings;
  /** What runs of the environment `browser` are given; null where there is none. */
  chromium: Chromium | null;
  /** Arguments of bubblewrap that decide which network the process in a place has. */
  networkArguments: (place: number) => string[];
}

/**
 * A process in a sandbox of its own: bubblewrap gives it its own users, processes and files, the kernel's control groups
 * their limits, and all of it is gone with its first process.
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

  async start(place: number, environment: Environment): Promise<RunProcess> {
    const { bubblewrap, spawner, users, cgroups } = this.#options;
    const limits = this.#limitsOf(environment);
    const group = cgroups?.group(place) ?? null;
    group?.limit(limits);
    // Whoever starts it goes into the group, and must not stand still there.
    group?.thaw();
    const spawned = await spawner.start({
      program: bubblewrap,
      args: [
        ...['--args', String(ARGUMENTS_FD), '--seccomp', String(FILTER_FD)],
        ...['--info-fd', String(INFO_FD), '--block-fd', String(BLOCK_FD), '--'],
        ...[INSIDE.node, `--max-old-space-size=${limits.memoryMb}`, '--disable-warning=ExperimentalWarning'],
        `${INSIDE.runtime}/runner.cjs`,
      ],
      uid: users?.uidOf(place) ?? null,
      argumentsFile: await this.#argumentsFile(place, environment, limits),
      filterFile: await this.#kept('filter.bpf', () => this.#options.filter),
      entrance: group?.entrance ?? null,
    });
    return sandboxed(spawned, group, limits);
  }

  async clear(place: number): Promise<void> {
    const { users, cgroups } = this.#options;
    // The kernel ends all of a sandbox with its first process; this is for what it could not.
    const isLeft = cgroups ? !cgroups.group(place).isEmpty() : false;
    if (isLeft && users) await clearUser(users.uidOf(place));
  }

  #limitsOf(environment: Environment): RunLimits {
    const known = this.#limits.get(environment) ?? limitsOf(environment, this.#options.limits);
    this.#limits.set(environment, known);
    return known;
  }

  #argumentsFile(place: number, environment: Environment, limits: RunLimits): Promise<string> {
    const { root, runtime, libraries, chromium, networkArguments } = this.#options;
    return this.#kept(`${environment}-${place}.args`, () => {
      const args = sandboxArguments({
        root,
        node: process.execPath,
        runtime,
        libraries,
        chromium: environment === 'browser' ? chromium : null,
        diskBytes: limits.diskMb * 1024 * 1024,
        network: networkArguments(place),
      });
      return args.map(arg => `${arg}\0`).join('');
    });
  }

  #kept(name: string, content: () => string | Buffer): Promise<string> {
    const known = this.#files.get(name) ?? this.#keep(name, content());
    this.#files.set(name, known);
    return known;
  }

  async #keep(name: string, content: string | Buffer): Promise<string> {
    const file = join(this.#options.folder, 'sandbox', name);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content, { mode: 0o600 });
    return file;
  }
}

function sandboxed({ outer, inner, pipes, ended }: Spawned, group: RunGroup | null, limits: RunLimits): RunProcess {
  const watch = new LimitWatch(limits, () => [
    group ? groupTest(group, limits) : processesTest(outer, limits),
    ...[INSIDE.home, INSIDE.sharedMemory].map(folder => diskTest(`/proc/${inner.pid}/root${folder}`, limits)),
  ]);
  const over = ended.then(end => {
    watch.end();
    return end;
  });
  return {
    mark: outer,
    folder: INSIDE.home,
    libraries: INSIDE.libraries,
    limits,
    refusals: { ENOSPC: 'disk_limit', EMFILE: 'file_limit' },
    limitReached: watch.reached,
    look: () => watch.look(),
    begin: () => watch.begin(),
    commands: pipes[COMMANDS_FD],
    messages: pipes[MESSAGES_FD],
    stdout: pipes[1],
    stderr: pipes[2],
    ended: over,
    freeze: () => (group ? group.freeze() : freezeAllOf(outer)),
    thaw: async () => (group ? group.thaw() : thawAllOf(outer)),
    kill: async () => {
      // Never bubblewrap's own process, which lives on to see that its child is gone.
      killOne(inner);
      // What is frozen ends only when it goes on.
      group?.thaw();
      await over;
    },
  };
}
