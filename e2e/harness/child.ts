import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { RESTART_EXIT_CODE } from '@trawl/worker/dist/exit-codes.js';
import { until } from './until.js';

const ROOT = process.cwd();
const KEPT_LOG_CHARS = 20_000;
const START_MS = 120_000;

/** Runs one program of the platform in a process of its own, as `npm start` does. */
export class Child {
  #process: ChildProcess | undefined;
  #log = '';

  constructor(
    readonly script: string,
    readonly env: Record<string, string>,
  ) {}

  /**
   * Starts the process and waits until `isReady` resolves to true.
   *
   * @throws Error with the process's log when it exits before that, or takes too long
   */
  async start(isReady: () => Promise<boolean>): Promise<void> {
    this.#log = '';
    const child = this.#spawn();
    try {
      await until(
        async () => {
          if (child.exitCode !== null || child.signalCode !== null) throw new Error('It exited.');
          return (await isReady().catch(() => false)) || null;
        },
        `${this.script} to be ready`,
        START_MS,
      );
    } catch (error) {
      // Kill the process, so that a caller that tries again does not have two processes.
      await this.kill('SIGKILL');
      throw new Error(`${this.script} did not start. ${(error as Error).message} Its log:\n${this.#log}`);
    }
  }

  #spawn(): ChildProcess {
    const child = spawn(process.execPath, [this.script], {
      cwd: ROOT,
      env: { PATH: process.env.PATH ?? '', TRAWL_SUPERVISED: '1', ...this.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#process = child;
    child.stdout?.on('data', chunk => this.#keep(chunk));
    child.stderr?.on('data', chunk => this.#keep(chunk));
    child.once('exit', code => {
      if (code === RESTART_EXIT_CODE) this.#spawn();
    });
    return child;
  }

  /** The last part of the output of the process. */
  get log(): string {
    return this.#log;
  }

  /** A text that says how the process ended, with its log; null while the process runs. */
  get end(): string | null {
    const { exitCode = null, signalCode = null } = this.#process ?? {};
    if (this.#process && exitCode === null && signalCode === null) return null;
    return `${this.script} ended with ${signalCode ?? `exit code ${exitCode}`}. Its log:\n${this.#log}`;
  }

  /** Sends a signal that does not end the process, such as SIGSTOP. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(signal);
  }

  /** Closes all pipes of the process, as if the process that started it had been killed. Resolves at its exit. */
  async abandon(): Promise<void> {
    const child = this.#process as ChildProcess;
    const ended = once(child, 'exit');
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    await ended;
  }

  /** Sends a signal and waits for the exit. */
  async kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  #keep(chunk: Buffer): void {
    this.#log = (this.#log + chunk.toString()).slice(-KEPT_LOG_CHARS);
  }
}
