import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { errnoOf } from './errno.js';
import { readHostMessage } from './hosted.js';
import { RestartDelays } from './restart-delays.js';

/** How a host is started. */
export interface HostCommand {
  /** What the engine is called in messages. */
  engine: 'PostgreSQL' | 'MongoDB';
  command: string;
  args: string[];
  /** File that holds what the engine said. */
  logPath: string;
}

/** Generous: after a crash a large database first repairs itself. */
const START_DEADLINE_MS = 300_000;
const STOP_DEADLINE_MS = 15_000;

/** The parent's side of a host: starts it, starts it again when the engine dies, and stops it. */
export class HostProcess {
  #child: ChildProcess | undefined;
  #stopped: Promise<void> | undefined;
  readonly #restartDelays = new RestartDelays();
  #restartTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly host: HostCommand,
    private readonly onProgress: (line: string) => void,
  ) {}

  /** Settles when the engine takes connections; rejects with the engine's own reason. */
  async start(): Promise<void> {
    const { command, args, engine, logPath } = this.host;
    // A group of its own: Ctrl-C in the terminal must not end the databases before the platform that uses them.
    const log = openSync(logPath, 'a', 0o600);
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', log], detached: true });
    closeSync(log);
    this.#child = child;
    child.stdin?.on('error', () => {}); // closing the pipe of a host that has just died is no news
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

  /** Ends engine and host; safe to call more than once, and at any time. */
  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #end(): Promise<void> {
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
    this.onProgress(`${this.host.engine} ended unexpectedly; starting it again (its log is ${this.host.logPath})`);
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
    if (errnoOf(error) !== 'ESRCH') throw error; // it has just ended by itself
  }
}
