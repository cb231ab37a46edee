import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SILENCE_MS } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { ProcessMark } from './executor/executor.js';
import { isThere, killAllOf, markOf } from './executor/process-table.js';
import { monotonicMs, type NetworkRules, type WatchdogLine, type WatchedProcess } from './watchdog-line.js';

/** In the worker's folder: how the watchdog of an earlier worker is known again. */
const WATCHDOG_FILE = 'watchdog.json';
const AGAIN_MS = 1_000;

/** The worker's end of the pipe to its watchdog (`watchdog-process.ts`), which is started again when it dies. */
export class Watchdog {
  readonly #script: string;
  readonly #file: string;
  readonly #log: Logger;
  readonly #processes = new Map<number, WatchedProcess>();
  #until: number | undefined;
  #rules: NetworkRules | null = null;
  #pipe: Socket | undefined;

  /** @param script file of the watchdog's process. */
  constructor(script: URL, folder: string, log: Logger) {
    this.#script = fileURLToPath(script);
    this.#file = join(folder, WATCHDOG_FILE);
    this.#log = log;
    this.#begin();
  }

  /** Before this worker takes up what an earlier one left: that one's watchdog might take new runs for the old ones. */
  static async endLeftOver(folder: string): Promise<void> {
    const mark = markIn(join(folder, WATCHDOG_FILE));
    if (mark && isThere(mark)) await killAllOf(mark);
  }

  /** The platform has been heard of: runs that may be tried again may go on for `SILENCE_MS` from `at`, of `performance`. */
  heard(at: number): void {
    this.#until = monotonicMs() - (performance.now() - at) + SILENCE_MS;
    this.#tell({ until: this.#until });
  }

  /** This process is there from now on, or belongs to another run than before. */
  watch(process: WatchedProcess): void {
    this.#processes.set(process.place, process);
    this.#tell(process);
  }

  /** Nothing is left of the process in this place. */
  over(place: number): void {
    if (this.#processes.delete(place)) this.#tell({ over: place });
  }

  /** These are in force from now on; null when they are no more. */
  rules(rules: NetworkRules | null): void {
    this.#rules = rules;
    this.#tell({ rules });
  }

  #begin(): void {
    // Of a session of its own, without any secret of the worker. The pipe closes when the worker ends, however it does.
    const child = spawn(process.execPath, [this.#script], {
      cwd: '/',
      env: {},
      detached: true,
      windowsHide: true,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const again = (reason: string) => {
      this.#log.error({ reason }, 'the watchdog of this worker ended; it is started again');
      setTimeout(() => this.#begin(), AGAIN_MS).unref();
    };
    child.once('error', error => again(String(error)));
    child.once('exit', (code, signal) => again(`it ended with ${signal ?? code}`));
    this.#pipe = child.stdin as Socket;
    this.#pipe.on('error', () => {}); // it has died; its exit says so
    // The worker does not live on for it.
    child.unref();
    this.#pipe.unref();
    for (const process of this.#processes.values()) this.#tell(process);
    if (this.#until !== undefined) this.#tell({ until: this.#until });
    this.#tell({ rules: this.#rules });
    // Last: whoever reads it finds a watchdog that knows all processes.
    if (child.pid) this.#keep(markOf(child.pid, null));
  }

  #keep(mark: ProcessMark): void {
    try {
      writeFileSync(this.#file, JSON.stringify(mark), { mode: 0o600 });
    } catch (error) {
      // It watches all the same.
      this.#log.error({ reason: String(error) }, 'the mark of the watchdog could not be kept on disk');
    }
  }

  #tell(line: WatchdogLine): void {
    if (this.#pipe?.writable) this.#pipe.write(`${JSON.stringify(line)}\n`);
  }
}

/** Null when there was none, or when the worker was killed while it wrote the file. */
function markIn(file: string): ProcessMark | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
