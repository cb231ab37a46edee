import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { startHelper } from '../../process/helper-process.js';
import type { ProcessIdentity } from '../../process/process-identity.js';
import { identify, isAlive, killOne } from '../../process/process-table.js';
import type { ProcessEnd } from '../../process/run-process.js';
import { type FromSpawner, PIPES, type PipeFd, type SharedMounts, type ToSpawner } from './spawner-messages.js';

export type SpawnRequest = Omit<Extract<ToSpawner, { t: 'start' }>, 't' | 'n'>;

export interface Spawned {
  /** bubblewrap's own process, which is outside the sandbox. */
  outer: ProcessIdentity;
  /** The first process in the sandbox. When it ends, the kernel ends all others in the sandbox. */
  inner: ProcessIdentity;
  pipes: Record<PipeFd, Socket>;
  /** Resolves when no process of the sandbox is left. */
  ended: Promise<ProcessEnd>;
}

/** The worker's knowledge about a process, from the request to start it until it has ended. */
interface Entry {
  uid: number | null;
  pipes: Partial<Record<PipeFd, Socket>>;
  spawned: Spawned | undefined;
  started: (spawned: Spawned) => void;
  failed: (error: Error) => void;
  ended: (end: ProcessEnd) => void;
  end: Promise<ProcessEnd>;
  /** Timer that runs out if the spawner's next message about the start does not arrive in time. */
  answerTimer: NodeJS.Timeout | undefined;
}

const POLL_MS = 5;
/** The spawner usually answers within milliseconds, and within two seconds on a machine under heavy load. */
const ANSWER_TIMEOUT_MS = 30_000;

const SIGNALS = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number as number, name as NodeJS.Signals]),
);

/** The worker's end of the channel to its spawner (`spawner-process.ts`). It restarts a spawner that has died. */
export class Spawner {
  readonly #arguments: string[];
  readonly #groups: string[];
  readonly #log: Logger;
  readonly #entries = new Map<number, Entry>();
  #child: ChildProcess | undefined;
  #hasSharedMounts: Promise<boolean> = Promise.resolve(false);
  #last = 0;
  /** When the spawner's latest message arrived, by `performance.now()`. */
  #heardAt = Number.NEGATIVE_INFINITY;

  /**
   * @param openFiles number of files that each process of a run may have open at once
   * @param groups cgroups that the spawner removes when the worker ends
   * @param mounts mounts that the spawner makes once, if the machine lets it
   */
  constructor(
    script: URL,
    { openFiles, groups, mounts }: { openFiles: number; groups: string[]; mounts: SharedMounts },
    log: Logger,
  ) {
    this.#arguments = [fileURLToPath(script), String(openFiles), JSON.stringify(mounts)];
    this.#groups = groups;
    this.#log = log;
    // Start the spawner before the first run, because it also removes the cgroups.
    this.#child = this.#startSpawner();
    this.#ref(false);
  }

  /**
   * Starts a process in a sandbox.
   *
   * @throws Error with the error output of the program when it does not start
   */
  start(request: SpawnRequest): Promise<Spawned> {
    this.#child ??= this.#startSpawner();
    this.#ref(true);
    this.#last += 1;
    const n = this.#last;
    let ended: Entry['ended'] = () => {};
    const end = new Promise<ProcessEnd>(resolve => {
      ended = resolve;
    });
    return new Promise((started, failed) => {
      const { uid } = request;
      const entry = { uid, pipes: {}, spawned: undefined, started, failed, ended, end, answerTimer: undefined };
      this.#entries.set(n, entry);
      this.#awaitAnswer(n, entry);
      this.#send({ t: 'start', n, ...request });
    });
  }

  /** Tells whether processes start with the shared mounts. */
  async hasSharedMounts(): Promise<boolean> {
    this.#child ??= this.#startSpawner();
    this.#ref(true);
    const hasMounts = await this.#hasSharedMounts;
    this.#ref(this.#entries.size > 0);
    return hasMounts;
  }

  /** Sets whether the spawner keeps the worker's event loop alive: it does so only while it has processes. */
  #ref(isNeeded: boolean): void {
    for (const handle of [this.#child, this.#child?.channel]) isNeeded ? handle?.ref() : handle?.unref();
  }

  /** Ends the spawner and all processes that it has started. */
  close(): void {
    const child = this.#child;
    this.#child = undefined;
    child?.stdin?.end();
  }

  #startSpawner(): ChildProcess {
    const { child, input, ended } = startHelper(process.execPath, this.#arguments, {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
    });
    input.unref();
    this.#hasSharedMounts = new Promise(resolve => {
      child.once('message', (message: FromSpawner) => resolve(message.t === 'mounts' && message.areShared));
      void ended.then(() => resolve(false));
    });
    child.on('message', (message, pipe) => this.#receive(message as FromSpawner, pipe as Socket | undefined));
    void ended.then(reason => this.#lost(child, reason));
    child.send({ t: 'groups', folders: this.#groups } satisfies ToSpawner);
    return child;
  }

  #send(message: ToSpawner): void {
    // Ignore errors of sending: `#lost` handles the end of the spawner.
    this.#child?.send(message, () => {});
  }

  #awaitAnswer(n: number, entry: Entry): void {
    clearTimeout(entry.answerTimer);
    // If the worker itself was blocked, the spawner's messages may have arrived unread. `setImmediate` lets the worker
    // read them before it gives up.
    const giveUp = () => entry.answerTimer === timer && this.#giveUp(n, entry);
    const timer = setTimeout(() => setImmediate(giveUp), ANSWER_TIMEOUT_MS);
    entry.answerTimer = timer.unref();
  }

  /**
   * Fails a start to which the spawner did not answer in time. If the spawner sends no messages at all, kills the
   * spawner, so that later starts get another one.
   */
  #giveUp(n: number, entry: Entry): void {
    const seconds = ANSWER_TIMEOUT_MS / 1_000;
    if (this.#child && performance.now() - this.#heardAt >= ANSWER_TIMEOUT_MS) {
      const child = this.#child;
      this.#lost(child, `it did not answer a start for ${seconds} s`);
      child.kill('SIGKILL');
      return;
    }
    this.#entries.delete(n);
    this.#send({ t: 'drop', n });
    this.#failed(
      entry,
      `bubblewrap did not start the process for a run within ${seconds} s. A disk that the sandbox mounts may not respond.`,
    );
  }

  #stopAnswerTimer(entry: Entry): void {
    clearTimeout(entry.answerTimer);
    entry.answerTimer = undefined;
  }

  #receive(message: FromSpawner, pipe: Socket | undefined): void {
    this.#heardAt = performance.now();
    if (message.t === 'mounts') return;
    const entry = this.#entries.get(message.n);
    if (!entry) {
      pipe?.destroy();
      return;
    }
    if (message.t === 'pipe' || message.t === 'piped') this.#awaitAnswer(message.n, entry);
    else this.#stopAnswerTimer(entry);
    if (message.t === 'pipe') {
      // The pipe is missing if the process has already ended: the kernel cannot send the pipe then.
      if (!pipe) return;
      // Ignore the error: a run may end while the worker writes to it, and `ended` reports the end.
      pipe.on('error', () => pipe.destroy());
      entry.pipes[message.fd] = pipe;
    } else if (message.t === 'piped') this.#send({ t: 'go', n: message.n });
    else if (message.t === 'started') this.#started(entry, message.outer, message.inner);
    else {
      this.#entries.delete(message.n);
      if (this.#entries.size === 0) this.#ref(false);
      if (message.t === 'failed') this.#failed(entry, message.text);
      else entry.ended({ ...endOf(message.code, message.signal), hasUsedNetwork: message.hasUsedNetwork });
    }
  }

  #started(entry: Entry, outer: number, inner: number): void {
    const pipes = entry.pipes as Record<PipeFd, Socket>;
    const missing = PIPES.filter(fd => !pipes[fd]);
    const { uid, end: ended } = entry;
    entry.spawned = { outer: identify(outer, uid), inner: identify(inner, uid), pipes, ended };
    if (missing.length === 0) {
      entry.started(entry.spawned);
      return;
    }
    // A pipe is missing because it was closed before the spawner could send it. So the process ended before it began.
    killOne(entry.spawned.inner);
    this.#failed(entry, `The process for a run ended during its start: no pipe for descriptor ${missing.join(', ')}.`);
  }

  #failed(entry: Entry, text: string): void {
    for (const pipe of Object.values(entry.pipes)) pipe.destroy();
    entry.failed(new Error(text));
  }

  /** Handles the loss of the spawner. Its processes end with it, and no message reports their end. */
  #lost(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#log.error({ reason }, 'spawner lost; its runs ended with it');
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const entry of entries) {
      this.#stopAnswerTimer(entry);
      if (entry.spawned) void this.#orphaned(entry.spawned).then(entry.ended);
      else this.#failed(entry, `The worker lost its spawner: ${reason}.`);
    }
  }

  async #orphaned({ inner }: Spawned): Promise<ProcessEnd> {
    // Kill the process now. If it is frozen, the kernel's signal about its parent's death is handled only after a thaw,
    // and the process would run for a moment.
    killOne(inner);
    while (isAlive(inner)) await delay(POLL_MS);
    return { code: null, signal: 'SIGKILL' };
  }
}

/** If a signal killed the program in the sandbox, bubblewrap exits with 128 plus the signal's number. */
function endOf(code: number | null, signal: NodeJS.Signals | null): ProcessEnd {
  const inside = code === null ? undefined : SIGNALS.get(code - 128);
  return inside ? { code: null, signal: inside } : { code, signal };
}
