import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Environment, RunNode, SandboxLayer, SandboxLevel } from '@trawl/contracts';
import type { EgressFilter } from '../../egress/egress.js';
import { runEnvironment } from '../../environments/environments.js';
import { clearUser, freezeAllOf, identify, killAllOf, thawAllOf } from '../../process/process-table.js';
import { removeFolder } from '../../process/remove-folder.js';
import type { ProcessEnd, RunLimits, RunProcess } from '../../process/run-process.js';
import type { UserBlock } from '../../process/user-block.js';
import { COMMANDS_FD, MESSAGES_FD } from '../../protocol/pipe-messages.js';
import { type LimitSettings, limitsOf } from '../limits/limit-settings.js';
import { LimitWatch, processesTest, processesUse } from '../limits/limit-watch.js';
import type { Chromium } from '../port/chromium.js';
import type { Executor } from '../port/executor.js';
import type { NodeBinaries } from '../run-nodes.js';

export interface ProcessExecutorOptions {
  nodes: NodeBinaries;
  /** Path of the runner's file. */
  runner: string;
  /** Folder with one folder for each process. */
  folders: string;
  /** Folder of the installed libraries. */
  libraries: string;
  /** Gives each slot its own user id; null when runs have the worker's user id. */
  users: UserBlock | null;
  /** The browser for runs of the environment `browser`; null if there is none. */
  chromium: Chromium | null;
  /**
   * Path of the program setpriv; null if the machine has none. It makes the kernel end the process when the worker
   * ends.
   */
  setpriv: string | null;
  /** The networks of slots; null if runs share the network of the machine. */
  network: Pick<EgressFilter, 'prepare'> | null;
  limits: LimitSettings;
}

/**
 * Starts processes without a sandbox: each in its own session, with an empty environment and, if possible, its own
 * user.
 */
export class ProcessExecutor implements Executor {
  readonly level: SandboxLevel;
  readonly layers: SandboxLayer[];
  readonly #options: ProcessExecutorOptions;

  constructor(options: ProcessExecutorOptions, report: { level: SandboxLevel; layers: SandboxLayer[] }) {
    this.#options = options;
    this.level = report.level;
    this.layers = report.layers;
  }

  background(): string[] {
    return [];
  }

  /** Ignores that a process should be offline: it has no network of its own. A replay answers its requests all the same. */
  async start(slotIndex: number, environment: Environment, version?: RunNode): Promise<RunProcess> {
    const limits = limitsOf(environment, this.#options.limits);
    const uid = this.#options.users?.uidOf(slotIndex) ?? null;
    const folder = join(this.#options.folders, String(slotIndex));
    const temporary = join(folder, 'tmp');
    await mkdir(temporary, { recursive: true });
    for (const path of [folder, temporary]) await chmod(path, 0o700);
    if (uid !== null) for (const path of [temporary, folder]) await chown(path, uid, uid);
    const entry = (await this.#options.network?.prepare(slotIndex))?.command ?? [];
    const [program, ...args] = this.#command(entry, uid, limits, version);
    const child = spawn(program as string, args, {
      cwd: folder,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: folder,
        TMPDIR: temporary,
        // Windows names the folder for temporary files with these variables.
        TEMP: temporary,
        TMP: temporary,
        LANG: 'C.UTF-8',
        ...(runEnvironment(environment).hasChromium ? this.#options.chromium?.variables : {}),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
      ...(uid !== null && entry.length === 0 && this.#options.setpriv === null ? { uid, gid: uid } : {}),
    });
    const ended = new Promise<ProcessEnd>(resolve => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    const pid = await started(child);
    const identity = identify(pid, uid);
    const watch = new LimitWatch(limits, () => [processesTest(identity, limits)]);
    const watchedEnd = ended.then(end => {
      watch.end();
      return end;
    });
    let killed: Promise<void> | undefined;
    return {
      identity,
      folder,
      libraries: this.#options.libraries,
      limits,
      refusals: {},
      limitReached: watch.reached,
      share: () => {},
      usage: () => processesUse(identity),
      look: () => watch.look(),
      begin: () => watch.begin(),
      commands: pipeOf(child, COMMANDS_FD) as Writable,
      messages: pipeOf(child, MESSAGES_FD) as Readable,
      stdout: child.stdout as Readable,
      stderr: child.stderr as Readable,
      ended: watchedEnd,
      freeze: () => freezeAllOf(identity),
      thaw: () => thawAllOf(identity),
      kill: () => {
        killed ??= killAllOf(identity)
          .then(() => watchedEnd)
          .then(() => removeFolder(folder));
        return killed;
      },
    };
  }

  hasOther(node: RunNode): boolean {
    return this.#options.nodes.others[node] !== undefined;
  }

  async clear(slotIndex: number): Promise<void> {
    // Without a user id for each slot, a process that a run left cannot be told from the worker's own processes.
    if (this.#options.users) await clearUser(this.#options.users.uidOf(slotIndex));
  }

  /** @param entry program and arguments that start another program in the network of the slot, as its user */
  #command(entry: string[], uid: number | null, { memoryMb }: RunLimits, version?: RunNode): string[] {
    // The libraries of a local run are links, next to which Node must look for the built-in ones.
    const options = [
      `--max-old-space-size=${memoryMb}`,
      '--disable-warning=ExperimentalWarning',
      '--preserve-symlinks',
    ];
    const { nodes, runner } = this.#options;
    const node = [(version && nodes.others[version]) ?? nodes.default, ...options, runner];
    if (this.#options.setpriv === null) return [...entry, ...node];
    const user = uid === null || entry.length > 0 ? [] : [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
    return [...entry, this.#options.setpriv, ...user, '--no-new-privs', '--pdeathsig', 'KILL', '--', ...node];
  }
}

function started(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => resolve(child.pid as number));
  });
}

function pipeOf(child: ChildProcess, fd: number): Readable | Writable {
  const pipe = child.stdio[fd] as Readable | Writable;
  // Ignore the error: a run may end while the worker writes to it, and `ended` reports the end.
  pipe.on('error', () => pipe.destroy());
  return pipe;
}
