import { readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { startHelper } from '../process/helper-process.js';
import type { ProcessIdentity } from '../process/process-identity.js';
import { identify, isAlive, killAllOf } from '../process/process-table.js';
import { jsonLine } from '../protocol/json-lines.js';
import { monotonicMs, type RunNetworks, type WatchdogLine, type WatchedProcess } from './watchdog-messages.js';

/** File in the worker's folder that identifies the watchdog. The worker's next start finds an old watchdog with it. */
const WATCHDOG_FILE = 'watchdog.json';
const RESTART_MS = 1_000;

/** The worker's end of the pipe to its watchdog (`watchdog-process.ts`). Restarts the watchdog when it dies. */
export class Watchdog {
  readonly #script: string;
  readonly #file: string;
  readonly #log: Logger;
  readonly #processes = new Map<number, WatchedProcess>();
  #until: number | undefined;
  #networks: RunNetworks | null = null;
  #pipe: Socket | undefined;

  /** @param script file with the code of the watchdog's process */
  constructor(script: URL, folder: string, log: Logger) {
    this.#script = fileURLToPath(script);
    this.#file = join(folder, WATCHDOG_FILE);
    this.#log = log;
    this.#start();
  }

  /**
   * Kills the watchdog of an earlier start of the worker, because it could take new processes for old ones. Call it
   * before the first run.
   */
  static async killLeftOver(folder: string): Promise<void> {
    const identity = identityIn(join(folder, WATCHDOG_FILE));
    if (identity && isAlive(identity)) await killAllOf(identity);
  }

  /**
   * Call when the platform has answered a frame. Runs that have retries left may then continue until `sentAt` plus
   * `silenceMs`.
   */
  renewLease(sentAt: number, silenceMs: number): void {
    this.#until = monotonicMs() - (performance.now() - sentAt) + silenceMs;
    this.#send({ until: this.#until });
  }

  /** Registers a process. Replaces the process that was registered for the same slot before. */
  watch(process: WatchedProcess): void {
    this.#processes.set(process.slotIndex, process);
    this.#send(process);
  }

  /** Stops watching the process of a slot. Call it when the process and all its children have ended. */
  ended(slotIndex: number): void {
    if (this.#processes.delete(slotIndex)) this.#send({ ended: slotIndex });
  }

  /** Sets the networks of runs that the watchdog removes when the worker has ended; null if there are none. */
  setNetworks(networks: RunNetworks | null): void {
    this.#networks = networks;
    this.#send({ networks });
  }

  #start(): void {
    const { child, input, ended } = startHelper(process.execPath, [this.#script], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    void ended.then(reason => {
      this.#log.error({ reason }, 'watchdog ended; restarting it');
      setTimeout(() => this.#start(), RESTART_MS).unref();
    });
    this.#pipe = input;
    // Let the worker end although the watchdog is still running.
    child.unref();
    this.#pipe.unref();
    for (const process of this.#processes.values()) this.#send(process);
    if (this.#until !== undefined) this.#send({ until: this.#until });
    this.#send({ networks: this.#networks });
    // Save the file last: when a watchdog can be found by the file, it already knows all processes.
    if (child.pid) this.#save(identify(child.pid, null));
  }

  #save(identity: ProcessIdentity): void {
    try {
      writeFileSync(this.#file, JSON.stringify(identity), { mode: 0o600 });
    } catch (error) {
      this.#log.error({ reason: String(error) }, 'failed to save the identity of the watchdog on disk');
    }
  }

  #send(line: WatchdogLine): void {
    if (this.#pipe?.writable) this.#pipe.write(jsonLine(line));
  }
}

/** Reads the identity of a process from a file. Returns null if the file does not exist or is incomplete. */
function identityIn(file: string): ProcessIdentity | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
