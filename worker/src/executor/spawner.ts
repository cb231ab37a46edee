import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { ProcessEnd, ProcessMark } from './executor.js';
import { isThere, killOne, markOf } from './process-table.js';
import { type FromSpawner, PIPES, type PipeFd, type ToSpawner } from './spawner-messages.js';

export type SpawnRequest = Omit<Extract<ToSpawner, { t: 'start' }>, 't' | 'n'>;

export interface Spawned {
  /** Of bubblewrap's own process, outside the sandbox. */
  outer: ProcessMark;
  /** Of the first process in the sandbox: all others end with it. */
  inner: ProcessMark;
  pipes: Record<PipeFd, Socket>;
  /** Resolves when nothing of it is left. */
  ended: Promise<ProcessEnd>;
}

interface Entry {
  uid: number | null;
  pipes: Partial<Record<PipeFd, Socket>>;
  spawned: Spawned | undefined;
  started: (spawned: Spawned) => void;
  failed: (error: Error) => void;
  ended: (end: ProcessEnd) => void;
  end: Promise<ProcessEnd>;
  /** Runs until the next answer to its start. */
  unanswered: NodeJS.Timeout | undefined;
}

const LOOK_AGAIN_MS = 5;
/** A start has its first answer in some milliseconds, and on a machine under heavy load in a second or two. */
const ANSWER_MS = 30_000;

const SIGNALS = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number as number, name as NodeJS.Signals]),
);

/** The worker's end of the channel to its spawner (`spawner-process.ts`), which is started again when it has died. */
export class Spawner {
  readonly #script: string;
  readonly #groups: string[];
  readonly #openFiles: number;
  readonly #log: Logger;
  readonly #entries = new Map<number, Entry>();
  #child: ChildProcess | undefined;
  #last = 0;
  /** When it said something last, by `performance.now()`. */
  #heardAt = Number.NEGATIVE_INFINITY;

  /**
   * @param groups control groups that are removed when the worker ends
   * @param openFiles how many files a process of a run may have open
   */
  constructor(script: URL, groups: string[], openFiles: number, log: Logger) {
    this.#script = fileURLToPath(script);
    this.#groups = groups;
    this.#openFiles = openFiles;
    this.#log = log;
    // Not with the first run: it also removes the groups.
    this.#child = this.#begin();
    this.#keepAwake(false);
  }

  /** @throws Error with what the program said when it did not start. */
  start(request: SpawnRequest): Promise<Spawned> {
    this.#child ??= this.#begin();
    this.#keepAwake(true);
    this.#last += 1;
    const n = this.#last;
    let ended: Entry['ended'] = () => {};
    const end = new Promise<ProcessEnd>(resolve => {
      ended = resolve;
    });
    return new Promise((started, failed) => {
      const { uid } = request;
      const entry = { uid, pipes: {}, spawned: undefined, started, failed, ended, end, unanswered: undefined };
      this.#entries.set(n, entry);
      this.#awaitAnswer(n, entry);
      this.#say({ t: 'start', n, ...request });
    });
  }

  /** The worker lives on for what was started, but not for the spawner. */
  #keepAwake(isNeeded: boolean): void {
    for (const handle of [this.#child, this.#child?.channel]) isNeeded ? handle?.ref() : handle?.unref();
  }

  /** Ends it, and all that it has started. */
  close(): void {
    const child = this.#child;
    this.#child = undefined;
    child?.stdin?.end();
  }

  #begin(): ChildProcess {
    // Limits that are set once, here, hold for every run; a core file would be all of a run's memory on the disk.
    const limits = `ulimit -c 0; ulimit -n ${this.#openFiles}; exec nice -n 5 "$0" "$@"`;
    const child = spawn('/bin/sh', ['-c', limits, process.execPath, this.#script], {
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      detached: true,
      stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
    });
    // It closes when the worker ends, however it does.
    child.stdin?.on('error', () => {});
    (child.stdin as Socket).unref();
    child.on('message', (message, pipe) => this.#take(message as FromSpawner, pipe as Socket | undefined));
    // Not once: with each message that cannot be sent there is another.
    child.on('error', error => this.#lost(child, String(error)));
    child.once('exit', (code, signal) => this.#lost(child, `it ended with ${signal ?? code}`));
    child.send({ t: 'groups', folders: this.#groups } satisfies ToSpawner);
    return child;
  }

  #say(message: ToSpawner): void {
    // What cannot be told to it is over with it: see below.
    this.#child?.send(message, () => {});
  }

  #awaitAnswer(n: number, entry: Entry): void {
    clearTimeout(entry.unanswered);
    // What came while the worker itself was held up is taken first.
    const timer = setTimeout(() => setImmediate(() => entry.unanswered === timer && this.#giveUp(n, entry)), ANSWER_MS);
    entry.unanswered = timer.unref();
  }

  /** A spawner that says nothing at all is ended: nothing else would let go those who wait for it, nor start any run after them. */
  #giveUp(n: number, entry: Entry): void {
    const seconds = ANSWER_MS / 1_000;
    if (this.#child && performance.now() - this.#heardAt >= ANSWER_MS) {
      const child = this.#child;
      this.#lost(child, `it did not answer for ${seconds} s when it was to start a process`);
      child.kill('SIGKILL');
      return;
    }
    this.#entries.delete(n);
    this.#say({ t: 'drop', n });
    this.#failed(
      entry,
      `bubblewrap has not begun the process for a run within ${seconds} s: maybe a disk that it is to show does not answer.`,
    );
  }

  #answered(entry: Entry): void {
    clearTimeout(entry.unanswered);
    entry.unanswered = undefined;
  }

  #take(message: FromSpawner, pipe: Socket | undefined): void {
    this.#heardAt = performance.now();
    const entry = this.#entries.get(message.n);
    if (!entry) {
      pipe?.destroy();
      return;
    }
    if (message.t === 'pipe' || message.t === 'piped') this.#awaitAnswer(message.n, entry);
    else this.#answered(entry);
    if (message.t === 'pipe') {
      // One of a process that is gone by now cannot be handed over.
      if (!pipe) return;
      // A run that ends while something is written to it is no fault of the worker; its end is seen elsewhere.
      pipe.on('error', () => pipe.destroy());
      entry.pipes[message.fd] = pipe;
    } else if (message.t === 'piped') this.#say({ t: 'go', n: message.n });
    else if (message.t === 'started') this.#started(entry, message.outer, message.inner);
    else {
      this.#entries.delete(message.n);
      if (this.#entries.size === 0) this.#keepAwake(false);
      if (message.t === 'failed') this.#failed(entry, message.text);
      else entry.ended(endOf(message.code, message.signal));
    }
  }

  #started(entry: Entry, outer: number, inner: number): void {
    const pipes = entry.pipes as Record<PipeFd, Socket>;
    const missing = PIPES.filter(fd => !pipes[fd]);
    const { uid, end: ended } = entry;
    entry.spawned = { outer: markOf(outer, uid), inner: markOf(inner, uid), pipes, ended };
    if (missing.length === 0) {
      entry.started(entry.spawned);
      return;
    }
    // One that was closed cannot be sent: the process ended before it had begun.
    killOne(entry.spawned.inner);
    this.#failed(
      entry,
      `The process for a run ended while it was started: no pipe for descriptor ${missing.join(', ')}.`,
    );
  }

  #failed(entry: Entry, text: string): void {
    for (const pipe of Object.values(entry.pipes)) pipe.destroy();
    entry.failed(new Error(text));
  }

  /** What it had started ends with it, which nobody else will tell. */
  #lost(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#log.error({ reason }, 'the spawner of this worker ended, and its runs with it; it is started again');
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const entry of entries) {
      this.#answered(entry);
      if (entry.spawned) void this.#orphaned(entry.spawned).then(entry.ended);
      else this.#failed(entry, `The spawner of the worker ended: ${reason}.`);
    }
  }

  async #orphaned({ inner }: Spawned): Promise<ProcessEnd> {
    // One that is frozen does not hear that its parent is gone, and would go on a little when it is thawed.
    killOne(inner);
    while (isThere(inner)) await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS));
    return { code: null, signal: 'SIGKILL' };
  }
}

/** bubblewrap ends with 128 and the number of the signal that its program ended of. */
function endOf(code: number | null, signal: NodeJS.Signals | null): ProcessEnd {
  const inside = code === null ? undefined : SIGNALS.get(code - 128);
  return inside ? { code: null, signal: inside } : { code, signal };
}
