import type { Environment } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { Executor, RunProcess } from './executor/executor.js';
import type { MachineMemory } from './machine-memory.js';
import { PooledProcess } from './pooled-process.js';
import type { ProcessMarks } from './process-marks.js';
import type { ProcessPipes } from './process-pipes.js';
import type { Watchdog } from './watchdog.js';

/** A new process takes a core for a while: not from the run that was begun, nor from the answer of one that is over. */
const REFILL_AFTER_BEGIN_MS = 40;
const REFILL_AFTER_END_MS = 5;
/** What a parked process takes to load what most runs use. */
const PREPARING_MS = 20;
/** Between tries when processes die or cannot be started; doubled each time, up to the most. */
const FAILED_PAUSE_MS = 200;
const MOST_PAUSE_MS = 30_000;
/** A process that was kept for its skript's next run waits so long for it. */
const KEPT_MS = 30_000;
/** What its last run left going on has so long before it stands still: nobody sees it, and no limit of a run's time does. */
const STANDS_AFTER_MS = 1_000;
const MOST_KEPT = 16;
/** With less memory free than this, nothing waits in it for runs to come. */
const FREE_BYTES = 256 * 1024 * 1024;

/** What a run asks of its process. */
export interface ProcessWish {
  environment: Environment;
  /** A process that was kept after a run with the same key is taken; null when only a new one will do. */
  key: string | null;
  /** Whether the watchdog ends it when the platform is not heard of. */
  endsWithLease: boolean;
  /** The run is over, and waits for none any more. */
  over: AbortSignal;
}

/** A process that belongs to one run until it is given back. */
export interface TakenProcess {
  readonly process: RunProcess;
  readonly pipes: ProcessPipes;
  /** Which of the process's runs this is, from 1. */
  readonly run: number;
  /** Gives it back as it is, for the next run with the same key. */
  keep(): void;
  /**
   * Ends all that it does; its place stays taken until `end`.
   *
   * @throws Error when something of it cannot be ended.
   */
  kill(): Promise<void>;
  /** Ends it and all that is left of it; resolves when nothing is. */
  end(): Promise<void>;
}

export interface PoolDependencies {
  executor: Executor;
  /** So many processes there may be at a time. */
  places: number;
  /** Of each environment: a browser that is slow to come holds up no other run. */
  startsAtOnce: number;
  /** How many are to be parked of each environment that the worker has. */
  parked: Map<Environment, number>;
  memory: Pick<MachineMemory, 'free'>;
  marks: ProcessMarks;
  watchdog: Watchdog;
  log: Logger;
}

interface Waiting {
  environment: Environment;
  resolve: (process: PooledProcess) => void;
  reject: (error: unknown) => void;
}

/**
 * Processes for runs, each in a place of its own: parked ones, loaded and waiting for their first run, which are replaced
 * when a run has taken them, and those that were kept for the next run of their own skript.
 */
export class Pool {
  readonly #deps: PoolDependencies;
  readonly #free: number[];
  readonly #parked = new Map<Environment, PooledProcess[]>();
  /** The oldest first. */
  readonly #kept = new Map<PooledProcess, NodeJS.Timeout>();
  readonly #waiting: Waiting[] = [];
  readonly #starting = new Map<Environment, number>();
  readonly #starts = new Set<Promise<void>>();
  readonly #ending = new Set<Promise<void>>();
  #refill: NodeJS.Timeout | undefined;
  #refillAt = Number.POSITIVE_INFINITY;
  #failures = 0;
  #closed = false;

  constructor(deps: PoolDependencies) {
    this.#deps = deps;
    this.#free = Array.from({ length: deps.places }, (_, place) => place);
    for (const environment of deps.parked.keys()) this.#parked.set(environment, []);
    this.#refillIn(0);
  }

  /** @throws Error when no process can be started; the signal's reason when the run was over before there was one. */
  async take(wish: ProcessWish): Promise<TakenProcess> {
    const { environment, key, endsWithLease, over } = wish;
    const ready = (key === null ? undefined : this.#takeKept(key)) ?? this.#parked.get(environment)?.shift();
    const taken = ready ?? (await this.#next(environment, over));
    try {
      await taken.wake();
    } catch (error) {
      this.#deps.log.warn({ place: taken.place, reason: String(error) }, 'a process that was kept cannot go on');
      this.#drop(taken);
      return this.take(wish);
    }
    taken.runs += 1;
    taken.key = key;
    const { place, process, pipes } = taken;
    if (endsWithLease) this.#deps.watchdog.watch({ place, mark: process.mark, endsWithLease });
    this.#refillIn(REFILL_AFTER_BEGIN_MS);
    return {
      process,
      pipes,
      run: taken.runs,
      keep: () => this.#keep(taken, endsWithLease),
      kill: () => taken.kill(),
      end: () => this.#end(taken),
    };
  }

  /** The platform has heard of the end of a run: the machine has time for what is to come. */
  hasTime(): void {
    this.#refillIn(REFILL_AFTER_END_MS);
  }

  /**
   * Ends what waits for runs to come; from now on, processes are started only for runs that there are. Resolves when
   * nothing is being started or ended.
   */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#refill);
    const waiting = [...this.#kept.keys(), ...[...this.#parked.values()].flatMap(list => list.splice(0))];
    for (const process of waiting) this.#drop(process);
    while (this.#starts.size + this.#ending.size > 0) await Promise.all([...this.#starts, ...this.#ending]);
  }

  #next(environment: Environment, over: AbortSignal): Promise<PooledProcess> {
    return new Promise((resolve, reject) => {
      const waiting = { environment, resolve, reject };
      const leave = () => {
        const at = this.#waiting.indexOf(waiting);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        reject(over.reason);
      };
      over.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiting);
      if (over.aborted) leave();
      this.#startForWaiting();
    });
  }

  #startForWaiting(): void {
    for (const environment of new Set(this.#waiting.map(waiting => waiting.environment))) {
      const wanted = this.#waiting.filter(waiting => waiting.environment === environment).length;
      const most = Math.min(wanted, this.#deps.startsAtOnce);
      while (this.#startsOf(environment) < most) this.#start(environment);
    }
  }

  #start(environment: Environment): void {
    const start = this.#startOne(environment).finally(() => this.#starts.delete(start));
    this.#starts.add(start);
  }

  async #startOne(environment: Environment): Promise<void> {
    this.#starting.set(environment, this.#startsOf(environment) + 1);
    let started: PooledProcess | undefined;
    let failure: unknown;
    try {
      started = await this.#parkNew(environment);
    } catch (error) {
      failure = error;
    }
    this.#starting.set(environment, this.#startsOf(environment) - 1);
    if (started) this.#hand(started);
    else this.#failed(environment, failure);
    this.#startForWaiting();
  }

  async #parkNew(environment: Environment): Promise<PooledProcess> {
    const { executor, marks, watchdog } = this.#deps;
    const place = await this.#place();
    let started: PooledProcess | undefined;
    try {
      started = new PooledProcess(place, environment, await executor.start(place, environment));
      const { mark } = started.process;
      watchdog.watch({ place, mark, endsWithLease: false });
      marks.keep(place, mark);
      await started.parked();
      return started;
    } catch (error) {
      if (started) this.#drop(started);
      else await this.#giveBack(place);
      throw error;
    }
  }

  /** A free place, if need be that of a process which only waits. */
  async #place(): Promise<number> {
    for (;;) {
      const place = this.#free.shift();
      if (place !== undefined) return place;
      const spare = this.#kept.keys().next().value ?? [...this.#parked.values()].flat()[0];
      if (spare) this.#drop(spare);
      if (this.#ending.size === 0) throw new Error('Every place for a process on this worker is taken.');
      await Promise.race(this.#ending);
    }
  }

  #hand(process: PooledProcess): void {
    if (process.spoilt !== null) {
      this.#drop(process);
      this.#failed(process.environment, new Error(`The process for a run ${process.spoilt}.`));
      return;
    }
    this.#failures = 0;
    const at = this.#waiting.findIndex(({ environment }) => environment === process.environment);
    if (at >= 0) this.#waiting.splice(at, 1)[0]?.resolve(process);
    else if (this.#closed) this.#drop(process);
    else this.#park(process);
  }

  #park(process: PooledProcess): void {
    this.#parked.get(process.environment)?.push(process);
    void process.process.ended.then(() => {
      if (!this.#parked.get(process.environment)?.includes(process)) return;
      this.#deps.log.warn({ environment: process.environment, reason: process.spoilt }, 'a parked process ended');
      this.#drop(process);
      this.#pauseAfterFailure();
    });
    this.#refillIn(REFILL_AFTER_END_MS);
  }

  #failed(environment: Environment, error: unknown): void {
    const waiting = this.#waiting.filter(candidate => candidate.environment === environment);
    // One that joined a start which failed has another under way, or is told why there is none.
    if (waiting[0] && waiting.length > this.#startsOf(environment)) {
      this.#waiting.splice(this.#waiting.indexOf(waiting[0]), 1);
      waiting[0].reject(error);
    } else {
      this.#deps.log.warn({ environment, reason: String(error) }, 'no process could be parked');
    }
    this.#pauseAfterFailure();
  }

  #pauseAfterFailure(): void {
    this.#failures += 1;
    this.#refillIn(Math.min(MOST_PAUSE_MS, FAILED_PAUSE_MS * 2 ** Math.min(this.#failures, 10)));
  }

  /** Looks in so many milliseconds whether enough is parked, if it does not sooner. */
  #refillIn(ms: number): void {
    const pauseMs = this.#failures > 0 ? Math.max(ms, FAILED_PAUSE_MS) : ms;
    const at = performance.now() + pauseMs;
    if (this.#closed || at >= this.#refillAt) return;
    clearTimeout(this.#refill);
    this.#refillAt = at;
    this.#refill = setTimeout(() => this.#refillNow(), pauseMs).unref();
  }

  #refillNow(): void {
    this.#refillAt = Number.POSITIVE_INFINITY;
    // The last places are for runs that are to begin.
    if (this.#closed || this.#free.length === 0 || this.#isShort()) return;
    for (const [environment, wanted] of this.#deps.parked) {
      const parked = this.#parked.get(environment)?.length ?? 0;
      // One at a time while there is a stock; with little left, runs would soon wait for each.
      const atOnce = parked < wanted / 2 ? this.#deps.startsAtOnce : 1;
      const most = Math.min(wanted - parked, atOnce);
      while (this.#startsOf(environment) < most) this.#start(environment);
    }
    if (this.#starts.size === 0) this.#prepareNext();
  }

  /** The machine has nothing better to do than to make a parked process quicker still. */
  #prepareNext(): void {
    const next = [...this.#parked.values()].flat().find(process => !process.isPrepared);
    if (!next) return;
    next.prepare();
    this.#refillIn(PREPARING_MS);
  }

  #takeKept(key: string): PooledProcess | undefined {
    for (const [process, timer] of this.#kept) {
      if (process.key !== key) continue;
      clearTimeout(timer);
      this.#kept.delete(process);
      if (process.spoilt === null) return process;
      this.#drop(process);
    }
    return undefined;
  }

  #keep(process: PooledProcess, endedWithLease: boolean): void {
    process.pipes.listen(undefined);
    // One that was kept before has its memory already; another in its place would need more.
    const isTooMuch = process.runs === 1 && this.#isShort();
    if (this.#closed || process.key === null || process.spoilt !== null || isTooMuch) {
      this.#drop(process);
      return;
    }
    const { place } = process;
    if (endedWithLease) this.#deps.watchdog.watch({ place, mark: process.process.mark, endsWithLease: false });
    this.#kept.set(process, setTimeout(() => this.#drop(process), KEPT_MS).unref());
    process.rest(STANDS_AFTER_MS, () => this.#kept.has(process) && this.#drop(process));
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size > MOST_KEPT && oldest) this.#drop(oldest);
    // What ends meanwhile gives its place back at once.
    if (process.runs > 1) return;
    const dropKept = () => this.#kept.has(process) && this.#drop(process);
    void process.process.ended.then(dropKept);
    void process.process.limitReached.then(dropKept);
  }

  /** Ends a process that no run has; nobody waits for it. */
  #drop(process: PooledProcess): void {
    clearTimeout(this.#kept.get(process));
    this.#kept.delete(process);
    const parked = this.#parked.get(process.environment) ?? [];
    if (parked.includes(process)) parked.splice(parked.indexOf(process), 1);
    void this.#end(process);
  }

  #end(process: PooledProcess): Promise<void> {
    process.pipes.listen(undefined);
    const ending = this.#endAll(process).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    return ending;
  }

  async #endAll(process: PooledProcess): Promise<void> {
    // Somebody waits for the result of a run, which goes out first.
    await new Promise(setImmediate);
    try {
      await process.kill();
    } catch (error) {
      this.#outOfUse(process.place, error);
      return;
    }
    this.#deps.watchdog.over(process.place);
    await this.#giveBack(process.place);
  }

  async #giveBack(place: number): Promise<void> {
    try {
      await this.#deps.executor.clear(place);
      this.#deps.marks.forget(place);
      this.#free.push(place);
    } catch (error) {
      this.#outOfUse(place, error);
    }
  }

  #outOfUse(place: number, error: unknown): void {
    this.#deps.log.error({ place, reason: String(error) }, 'a place for runs is out of use until the next start');
  }

  #isShort(): boolean {
    return this.#deps.memory.free < FREE_BYTES;
  }

  #startsOf(environment: Environment): number {
    return this.#starting.get(environment) ?? 0;
  }
}
