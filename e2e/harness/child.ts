import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { RESTART_EXIT_CODE } from '@trawl/worker/dist/exit-codes.js';
import { until } from './until.js';

const ROOT = process.cwd();
const KEPT_LOG_CHARS = 20_000;
const START_MS = 120_000;

export type Signal = 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT';

/** A program that runs. Its pipes are those of `process`, which ends when the program ends. */
export interface Program {
  readonly process: ChildProcess;
  signal(signal: Signal): void;
  /** Lists the entries of a folder in the data folder; none if the folder does not exist. */
  list(folder: string): Promise<string[]>;
}

/** Runs the programs of a platform: as processes of this machine, or in containers of the images. */
export interface Runtime {
  /**
   * @param script path of the compiled program in the checkout
   * @param env its settings; it inherits nothing else but the path
   */
  spawn(script: string, env: Record<string, string>): Program;
  /** Settings of a backend that differ from those of the tests: addresses that a program of this kind can reach. */
  addresses(): Promise<Record<string, string>>;
}

const processes: Runtime = {
  spawn(script, env) {
    const child = spawn(process.execPath, [script], {
      cwd: ROOT,
      env: { PATH: process.env.PATH ?? '', TRAWL_SUPERVISED: '1', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    return {
      process: child,
      signal: signal => void child.kill(signal),
      list: async folder => {
        try {
          return readdirSync(join(env.TRAWL_DATA_DIR as string, folder));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
          throw error;
        }
      },
    };
  },
  addresses: async () => ({}),
};

let chosen = processes;

/** How the programs of this test file run. */
export const runtime = (): Runtime => chosen;

export const isInContainers = (): boolean => chosen !== processes;

/** Lets all programs that this test file starts from now on run in another way. */
export function useRuntime(other: Runtime): void {
  chosen = other;
}

/** Runs one program of the platform in a process or container of its own. */
export class Child {
  #program: Program | undefined;
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
    const child = this.#spawn().process;
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

  #spawn(): Program {
    const program = runtime().spawn(this.script, this.env);
    this.#program = program;
    program.process.stdout?.on('data', chunk => this.#keep(chunk));
    program.process.stderr?.on('data', chunk => this.#keep(chunk));
    program.process.once('exit', code => {
      if (code === RESTART_EXIT_CODE) this.#spawn();
    });
    return program;
  }

  /** The last part of the output of the process. */
  get log(): string {
    return this.#log;
  }

  /** A text that says how the process ended, with its log; null while the process runs. */
  get end(): string | null {
    const { exitCode = null, signalCode = null } = this.#program?.process ?? {};
    if (this.#program && exitCode === null && signalCode === null) return null;
    return `${this.script} ended with ${signalCode ?? `exit code ${exitCode}`}. Its log:\n${this.#log}`;
  }

  /** Sends a signal that does not end the process, such as SIGSTOP. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#program?.signal(signal);
  }

  /** Closes all pipes of the process, as if the process that started it had been killed. Resolves at its exit. */
  async abandon(): Promise<void> {
    const { process: child } = this.#program as Program;
    const ended = once(child, 'exit');
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    await ended;
  }

  /** Sends a signal and waits for the exit. */
  async kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#program?.process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    this.#program?.signal(signal);
    await ended;
  }

  /** Lists the entries of a folder in the data folder of the program; none if there is no such folder. */
  async list(folder: string): Promise<string[]> {
    return this.#program?.list(folder) ?? [];
  }

  #keep(chunk: Buffer): void {
    this.#log = (this.#log + chunk.toString()).slice(-KEPT_LOG_CHARS);
  }
}
