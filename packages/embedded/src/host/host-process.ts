import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { errnoOf } from '../system/errno.js';
import { RestartDelays } from './restart-delays.js';
import { readHostMessage } from './run-host.js';

/** A database server that accepts connections. */
export interface RunningEngine {
  url: string;
  stop(): Promise<void>;
}

/** The command that starts a host. */
export interface HostCommand {
  /** Name of the engine in messages. */
  engine: 'PostgreSQL' | 'MongoDB';
  command: string;
  args: string[];
  /** Path of the file for the output of the engine. */
  logPath: string;
}

/** The engine must be ready within this time. The time is long enough for a large database to recover from a crash. */
const START_DEADLINE_MS = 300_000;
const STOP_DEADLINE_MS = 15_000;

/** The parent's side of a host (`run-host.ts`): starts it, restarts it when the engine dies, and stops it. */
export class HostProcess {
  #child: ChildProcess | undefined;
  #stopped: Promise<void> | undefined;
  readonly #restartDelays = new RestartDelays();
  #restartTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly host: HostCommand,
    private readonly onProgress: (line: string) => void,
  ) {}

  /**
   * Starts the host. Resolves when the engine accepts connections.
   *
   * @throws Error with the reason that the engine gave
   */
  async start(): Promise<void> {
    const { command, args, engine, logPath } = this.host;
    // The host gets its own process group, because Ctrl-C in a terminal must not end the databases before the platform
    // that uses them.
    const log = openSync(logPath, 'a', 0o600);
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', log], detached: true });
    closeSync(log);
    this.#child = child;
    child.stdin?.on('error', () => {}); // The `exit` listener handles a host that has died.
    const timer = setTimeout(() => killGroup(child), START_DEADLINE_MS);
    try {
      await new Promise<void>((resolve, reject) => {
        child.once('error', error => reject(new Error(`${engine} could not be started: ${error.message}.`)));
        child.once('exit', (code, signal) =>
          reject(new Error(`${engine} ended while starting (${signal ?? `code ${code}`}); its log is ${logPath}.`)),
        );
        if (!child.stdout) throw new Error(`The host of ${engine} has no standard output.`);
        createInterface({ input: child.stdout }).on('line', line => {
          const message = readHostMessage(line);
          if (!message) return;
          if ('ready' in message) resolve();
          else reject(new Error(message.error));
        });
      });
    } finally {
      clearTimeout(timer);
    }
    const readyAt = performance.now();
    child.once('exit', () => this.#restart(performance.now() - readyAt));
  }

  /** Stops the engine and the host. You can call this at any time, and more than once. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#restartTimer);
    const child = this.#child;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    const timer = setTimeout(() => killGroup(child), STOP_DEADLINE_MS);
    child.stdin?.end();
    await exited;
    clearTimeout(timer);
  }

  #restart(ranMs: number): void {
    if (this.#stopped) return;
    this.onProgress(`${this.host.engine} ended unexpectedly; restarting it (its log is ${this.host.logPath})`);
    this.#restartTimer = setTimeout(() => {
      this.start().catch((error: Error) => {
        this.onProgress(error.message);
        this.#restart(0);
      });
    }, this.#restartDelays.nextMs(ranMs));
  }
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error; // The group has ended meanwhile.
  }
}
