import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { NODE_ARGUMENTS } from '../src/node-arguments.js';
import { WORKER_KEY } from './platform-stand-in.js';

const MAIN = join(__dirname, '..', 'dist', 'main.js');

/**
 * Gives the worker a program instead of Chromium that fails at once. So the worker has no browser and starts much
 * faster. The sandbox has /opt, as with every Chromium that `CHROME_PATH` names.
 */
const WITHOUT_BROWSER = { CHROME_PATH: ['/bin/false', '/usr/bin/false'].find(path => existsSync(path)) };
/** Pass this to `start` to let the worker look for a Chromium, as it does without a setting. */
export const WITH_BROWSER = { CHROME_PATH: '' };

/** Starts and ends a real worker in a process of its own. */
export class WorkerProcess {
  readonly data: string;
  readonly #url: string;
  #child: ChildProcess | undefined;
  #environment: Record<string, string> = {};
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
    // Set the mode that the data folder of a platform has: other users may pass through the folder, but not list it.
    await chmod(data, 0o711);
    return new WorkerProcess(data, url);
  }

  /** Creates another worker that uses the same folder. Does not start it. */
  sibling(): WorkerProcess {
    return new WorkerProcess(this.data, this.#url);
  }

  get runs(): string {
    return join(this.data, 'worker', 'runs');
  }

  get pid(): number {
    return this.#child?.pid as number;
  }

  isRunning(environment: Record<string, string>): boolean {
    const runs = this.#child?.exitCode === null && this.#child.signalCode === null;
    return runs && isDeepStrictEqual(environment, this.#environment);
  }

  /** @param through a program and its arguments; the command that starts the worker is added to these arguments */
  start(environment: Record<string, string> = {}, through: string[] = []): void {
    this.output = '';
    this.#environment = environment;
    const [program = process.execPath, ...args] = [...through, process.execPath, ...NODE_ARGUMENTS, MAIN];
    const child = spawn(program, args, {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        TRAWL_URL: this.#url,
        TRAWL_WORKER_KEY: WORKER_KEY,
        TRAWL_DATA_DIR: this.data,
        // With `1`, the child process is the worker itself, so that signals of a test reach the worker. With `0`, the
        // child process is a supervisor that starts the worker.
        TRAWL_SUPERVISED: '1',
        TRAWL_SLOTS: '4',
        // Only one test downloads Chromium.
        TRAWL_FETCH_CHROMIUM: '0',
        ...WITHOUT_BROWSER,
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

  /** Resolves when the worker has printed the text on its standard output. */
  async said(text: string): Promise<void> {
    while (!this.output.includes(text)) await once(this.#child?.stdout as Readable, 'data');
  }

  /** Resolves when the worker has printed the text on its standard error. */
  async complained(text: string): Promise<void> {
    while (!this.output.includes(text)) await once(this.#child?.stderr as Readable, 'data');
  }

  closeStdin(): void {
    this.#child?.stdin?.end();
  }

  /** Resolves when the worker has ended: with its exit code, or with null if a signal ended it. */
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

  /** Lists the ids of the runs that are still on the worker's disk. */
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
