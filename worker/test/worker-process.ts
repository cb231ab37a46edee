import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';

import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { NODE_ARGUMENTS } from '../src/node-arguments.js';
import { WORKER_KEY } from './platform-stand-in.js';

const MAIN = join(__dirname, '..', 'dist', 'main.js');

/** The real worker, started as a person starts it. */
export class WorkerProcess {
  readonly data: string;
  readonly #url: string;
  #child: ChildProcess | undefined;
  output = '';

  private constructor(data: string, url: string) {
    this.data = data;
    this.#url = url;
  }

  static async create(url: string): Promise<WorkerProcess> {
    if (!existsSync(join(MAIN, '..', 'runtime', 'runner.cjs'))) {
      throw new Error('The worker is not built: npx tsc -b worker && npm run build:runtime -w @trawl/worker');
    }
    const data = await mkdtemp(join(tmpdir(), 'trawl-worker-'));
    // As the data folder of a platform: others may pass through, and see nothing.
    await chmod(data, 0o711);
    return new WorkerProcess(data, url);
  }

  /** Another one on the same folder, not yet started. */
  sibling(): WorkerProcess {
    return new WorkerProcess(this.data, this.#url);
  }

  get runs(): string {
    return join(this.data, 'worker', 'runs');
  }

  get pid(): number {
    return this.#child?.pid as number;
  }

  /** @param through a program, with its arguments, that starts another */
  start(environment: Record<string, string> = {}, through: string[] = []): void {
    this.output = '';
    const [program = process.execPath, ...args] = [...through, process.execPath, ...NODE_ARGUMENTS, MAIN];
    const child = spawn(program, args, {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        TRAWL_URL: this.#url,
        TRAWL_WORKER_KEY: WORKER_KEY,
        TRAWL_DATA_DIR: this.data,
        // The worker itself, so that a signal reaches it and nothing else; without it, the one that starts it again.
        TRAWL_SUPERVISED: '1',
        ...environment,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const collect = (bytes: Buffer) => {
      this.output += bytes;
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    this.#child = child;
  }

  /** Resolves when the worker has printed this. */
  async said(text: string): Promise<void> {
    while (!this.output.includes(text)) await once(this.#child?.stdout as Readable, 'data');
  }

  /** Resolves when this is on its standard error. */
  async complained(text: string): Promise<void> {
    while (!this.output.includes(text)) await once(this.#child?.stderr as Readable, 'data');
  }

  closeStdin(): void {
    this.#child?.stdin?.end();
  }

  /** Resolves with the exit code, null after a signal. */
  async ended(): Promise<number | null> {
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'close');
    return child?.exitCode ?? null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.signal(signal);
    return this.ended();
  }

  /** Runs of which something is still on disk. */
  async leftRuns(): Promise<string[]> {
    const left = new Set(await readdir(this.runs));
    const journal = await readFile(join(this.data, 'worker', 'runs.jsonl'), 'utf8');
    for (const line of journal.split('\n').slice(0, -1)) {
      const { id, forgotten } = JSON.parse(line);
      if (forgotten) left.delete(id);
      else left.add(id);
    }
    return [...left].sort();
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    await rm(this.data, { recursive: true, force: true });
  }
}
