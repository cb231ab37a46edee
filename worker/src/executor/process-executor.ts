import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Environment, SandboxLayer, SandboxLevel } from '@trawl/contracts';
import type { Chromium } from '../browser/find-chromium.js';
import { COMMANDS_FD, MESSAGES_FD } from '../pipe-messages.js';
import { removeFolder } from '../remove-folder.js';
import type { Executor, ProcessEnd, RunProcess } from './executor.js';
import { LimitWatch, processesTest } from './limit-watch.js';
import { type LimitSettings, limitsOf, type RunLimits } from './limits.js';
import { clearUser, freezeAllOf, killAllOf, markOf, thawAllOf } from './process-table.js';
import type { UserBlock } from './user-block.js';

export interface ProcessExecutorOptions {
  /** File of the runner. */
  runner: string;
  /** Holds the folder of each process. */
  folders: string;
  /** Holds the installed libraries. */
  libraries: string;
  /** Where each slot has a user id of its own from; null where runs have the worker's. */
  users: UserBlock | null;
  /** What runs of the environment `browser` are given; null where there is none. */
  chromium: Chromium | null;
  /** Path of util-linux's setpriv, which ties the process to the worker's life; null where there is none. */
  setpriv: string | null;
  limits: LimitSettings;
}

/** A plain process of its own session, with an empty environment, as a user of its own where the worker may do that. */
export class ProcessExecutor implements Executor {
  readonly level: SandboxLevel;
  readonly layers: SandboxLayer[];
  readonly #options: ProcessExecutorOptions;

  constructor(options: ProcessExecutorOptions, report: { level: SandboxLevel; layers: SandboxLayer[] }) {
    this.#options = options;
    this.level = report.level;
    this.layers = report.layers;
  }

  async start(place: number, environment: Environment): Promise<RunProcess> {
    const limits = limitsOf(environment, this.#options.limits);
    const uid = this.#options.users?.uidOf(place) ?? null;
    const folder = join(this.#options.folders, String(place));
    const temporary = join(folder, 'tmp');
    await mkdir(temporary, { recursive: true });
    for (const path of [folder, temporary]) await chmod(path, 0o700);
    if (uid !== null) for (const path of [temporary, folder]) await chown(path, uid, uid);
    const [program, ...args] = this.#command(uid, limits);
    const child = spawn(program as string, args, {
      cwd: folder,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: folder,
        TMPDIR: temporary,
        // By these Windows knows it.
        TEMP: temporary,
        TMP: temporary,
        LANG: 'C.UTF-8',
        ...(environment === 'browser' ? this.#options.chromium?.variables : {}),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
      ...(uid !== null && this.#options.setpriv === null ? { uid, gid: uid } : {}),
    });
    const ended = new Promise<ProcessEnd>(resolve => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    const pid = await started(child);
    const mark = markOf(pid, uid);
    const watch = new LimitWatch(limits, () => [processesTest(mark, limits)]);
    const over = ended.then(end => {
      watch.end();
      return end;
    });
    let killed: Promise<void> | undefined;
    return {
      mark,
      folder,
      libraries: this.#options.libraries,
      limits,
      refusals: {},
      limitReached: watch.reached,
      look: () => watch.look(),
      begin: () => watch.begin(),
      commands: pipeOf(child, COMMANDS_FD) as Writable,
      messages: pipeOf(child, MESSAGES_FD) as Readable,
      stdout: child.stdout as Readable,
      stderr: child.stderr as Readable,
      ended: over,
      freeze: () => freezeAllOf(mark),
      thaw: () => thawAllOf(mark),
      kill: () => {
        killed ??= killAllOf(mark)
          .then(() => over)
          .then(() => removeFolder(folder));
        return killed;
      },
    };
  }

  async clear(place: number): Promise<void> {
    // What runs as the worker's own user cannot be told from the worker.
    if (this.#options.users) await clearUser(this.#options.users.uidOf(place));
  }

  #command(uid: number | null, { memoryMb }: RunLimits): string[] {
    const options = [`--max-old-space-size=${memoryMb}`, '--disable-warning=ExperimentalWarning'];
    const node = [process.execPath, ...options, this.#options.runner];
    if (this.#options.setpriv === null) return node;
    const user = uid === null ? [] : [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
    return [this.#options.setpriv, ...user, '--no-new-privs', '--pdeathsig', 'KILL', '--', ...node];
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
  // A run that ends while something is written to it is no fault of the worker; its end is seen elsewhere.
  pipe.on('error', () => pipe.destroy());
  return pipe;
}
