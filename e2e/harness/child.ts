import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from './until.js';

const ROOT = process.cwd();
/** With this a worker ends that was told to restart. */
const RESTART_EXIT_CODE = 75;

/** A part of the product in a process of its own, as `npm start` runs it. */
export class Child {
  #process: ChildProcess | undefined;
  #log = '';

  constructor(
    readonly script: string,
    readonly env: Record<string, string>,
  ) {}

  /** Starts it and waits until `isReady` says so; fails with its log when it ends before, or is not ready in time. */
  async start(isReady: () => Promise<boolean>): Promise<void> {
    this.#log = '';
    const child = this.#spawn();
    try {
      await until(async () => {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error('It ended.');
        return (await isReady().catch(() => false)) || null;
      }, `${this.script} to be ready`);
    } catch (error) {
      // Whoever starts it again would else have two of them.
      await this.kill('SIGKILL');
      throw new Error(`${this.script} could not be started. ${(error as Error).message} It said:\n${this.#log}`);
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

  /** What it has said last. */
  get log(): string {
    return this.#log;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  #keep(chunk: Buffer): void {
    this.#log = (this.#log + chunk.toString()).slice(-20_000);
  }
}
