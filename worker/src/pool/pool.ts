import type { Environment, RunNode } from '@trawl/contracts';
import { AccountShares } from '../executor/cgroups/account-shares.js';
import { FreeSlots } from './free-slots.js';
import { ParkedProcesses } from './parked-processes.js';
import type { PoolDependencies } from './pool-dependencies.js';
import { PoolSleep } from './pool-sleep.js';
import { PooledProcess } from './pooled-process.js';
import type { ProcessWish, TakenProcess } from './taken-process.js';
import { WaitingRuns } from './waiting-runs.js';
import { WarmProcesses } from './warm-processes.js';

/**
 * Delays before the pool starts new processes. A new process occupies a core, and a run that begins or the result of a
 * run that has ended needs the core first.
 */
const REFILL_AFTER_BEGIN_MS = 40;
const REFILL_AFTER_END_MS = 5;
/** How long a parked process takes to load the modules that most runs use. */
const PREPARING_MS = 20;
/** Delay before a new try after a process died or could not be started. It doubles with each failure. */
const RETRY_MS = 200;
const MAX_RETRY_MS = 30_000;
/** When the machine has less free memory than this, the pool parks no further processes and keeps no warm ones. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;
/** How often the pool starts a spare process while the machine is idle. A start takes about half of this time. */
const SPARE_MS = 100;
/** The machine is idle while less than this share of its processor time is in use. */
const IDLE_CPU_SHARE = 0.5;
/** The pool parks spare processes while more than this share of the machine's memory is free. */
const SPARE_FREE_SHARE = 1 / 4;

/**
 * Manages the processes for runs, each in its own slot. A parked process has loaded the runner and waits for its first
 * run. When a run takes it, the pool starts another. A warm process has served a run and waits for the next run with
 * the same key.
 * See docs/decisions/0421-one-run-per-process-from-a-pool.md.
 */
export class Pool {
  readonly #deps: PoolDependencies;
  readonly #freeSlots: FreeSlots;
  readonly #parked = new ParkedProcesses();
  readonly #warm = new WarmProcesses(process => this.#drop(process));
  readonly #waiting = new WaitingRuns();
  readonly #shares = new AccountShares();
  readonly #starting = new Map<Environment, number>();
  readonly #starts = new Set<Promise<void>>();
  readonly #ending = new Set<Promise<void>>();
  #refillTimer: NodeJS.Timeout | undefined;
  #refillAt = Number.POSITIVE_INFINITY;
  /** When the pool may start the next spare process, by `performance.now()`. */
  #spareAt = 0;
  #failures = 0;
  #closed = false;
  readonly #sleep = new PoolSleep(() => this.#dropBeyondAsleep());

  constructor(deps: PoolDependencies) {
    this.#deps = deps;
    this.#freeSlots = new FreeSlots(deps.size);
    this.#refillIn(0);
  }

  /** @throws Error when no process can be started; the reason of `over` when `over` is aborted first */
  async take(wish: ProcessWish): Promise<TakenProcess> {
    const { environment, ownerId, key, endsWithLease } = wish;
    this.#sleep.wake();
    const isForOthers = this.#shares.hasRuns(ownerId) && this.#isReserved(environment);
    const warm = key === null ? undefined : this.#warm.take(key);
    const isOther = wish.isOffline || (wish.node !== undefined && this.#deps.executor.hasOther(wish.node));
    // A warm run must not take a parked process too: nobody would end that one.
    const parked = warm || isForOthers || isOther ? undefined : this.#takeParked(environment);
    const taken = warm ?? parked ?? (await (isOther ? this.#startOther(wish) : this.#enqueue(wish)));
    // Count the run before anything else happens, because other runs of the account may be taking processes.
    this.#shares.add(ownerId, taken.process);
    try {
      await taken.wake();
    } catch (error) {
      this.#shares.remove(ownerId, taken.process);
      this.#deps.log.warn({ slotIndex: taken.slotIndex, reason: String(error) }, 'failed to wake a warm process');
      this.#drop(taken);
      return this.take(wish);
    }
    taken.runs += 1;
    taken.key = key;
    const { slotIndex, process, pipes } = taken;
    if (endsWithLease) this.#deps.watchdog.watch({ slotIndex, identity: process.identity, endsWithLease });
    this.#refillIn(REFILL_AFTER_BEGIN_MS);
    return {
      process,
      pipes,
      run: taken.runs,
      keep: () => {
        this.#shares.remove(ownerId, process);
        this.#keep(taken, endsWithLease);
      },
      kill: () => taken.kill(),
      end: () => {
        this.#shares.remove(ownerId, process);
        return this.#end(taken);
      },
    };
  }

  /**
   * Starts missing parked processes soon. Call it when the result of a run has been delivered, because the machine then
   * has time for that.
   */
  refill(): void {
    this.#refillIn(REFILL_AFTER_END_MS);
  }

  /** Ends all parked and warm processes, and parks no more. Resolves when no process is being started or ended. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#refillTimer);
    this.#sleep.close();
    for (const process of [...this.#warm, ...this.#parked]) this.#drop(process);
    while (this.#starts.size + this.#ending.size > 0) await Promise.all([...this.#starts, ...this.#ending]);
  }

  /** Starts a process that few runs want, so that the pool parks none: offline, or of another version of Node. */
  async #startOther({ environment, node, isOffline, over }: ProcessWish): Promise<PooledProcess> {
    const starting = this.#parkNew(environment, node, isOffline);
    const start: Promise<void> = Promise.allSettled([starting]).then(() => void this.#starts.delete(start));
    this.#starts.add(start);
    const process = await starting;
    if (process.unusable === null && !this.#closed && !over.aborted) return process;
    this.#drop(process);
    over.throwIfAborted();
    throw new Error(`The process for a run ${process.unusable ?? 'is not needed, because the worker ends'}.`);
  }

  #enqueue({ environment, ownerId, over }: ProcessWish): Promise<PooledProcess> {
    return new Promise((resolve, reject) => {
      const waiting = { environment, ownerId, hasFailed: false, resolve, reject };
      const leave = () => {
        if (this.#waiting.remove(waiting)) reject(over.reason);
      };
      over.addEventListener('abort', leave, { once: true });
      this.#waiting.add(waiting);
      if (over.aborted) leave();
      this.#startForWaiting();
    });
  }

  #startForWaiting(): void {
    for (const environment of this.#waiting.environments) {
      const missing = () => Math.min(this.#waiting.of(environment).length, this.#deps.startsAtOnce);
      while (this.#startsOf(environment) < missing()) {
        const parked = this.#isReserved(environment) ? undefined : this.#takeParked(environment);
        if (parked) this.#waiting.takeNext(environment)?.resolve(parked);
        else this.#start(environment);
      }
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
    if (started) this.#admit(started);
    else this.#startFailed(environment, failure);
    this.#startForWaiting();
  }

  async #parkNew(environment: Environment, node?: RunNode, isOffline?: boolean): Promise<PooledProcess> {
    const { executor, registry, watchdog } = this.#deps;
    const slotIndex = await this.#claimSlot();
    let started: PooledProcess | undefined;
    try {
      const process = await executor.start(slotIndex, environment, node, isOffline);
      started = new PooledProcess(slotIndex, environment, process);
      const { identity } = started.process;
      watchdog.watch({ slotIndex, identity, endsWithLease: false });
      registry.add(slotIndex, identity);
      await started.pipes.parked();
      return started;
    } catch (error) {
      if (started) this.#drop(started);
      else await this.#releaseSlot(slotIndex, false);
      throw error;
    }
  }

  /** Takes a free slot. If none is free, ends a warm or parked process and takes its slot. */
  async #claimSlot(): Promise<number> {
    for (;;) {
      const slotIndex = this.#freeSlots.take();
      if (slotIndex !== undefined) return slotIndex;
      const spare = this.#warm.oldest ?? this.#parked.cheapest;
      if (spare) this.#drop(spare);
      if (this.#ending.size === 0) {
        const { size } = this.#deps;
        throw new Error(
          `All process slots of this worker (${size}) are taken. A slot is free again when a run has ended.`,
        );
      }
      await Promise.race(this.#ending);
    }
  }

  #admit(process: PooledProcess): void {
    if (process.unusable !== null) {
      this.#drop(process);
      this.#startFailed(process.environment, new Error(`The process for a run ${process.unusable}.`));
      return;
    }
    this.#failures = 0;
    const { environment } = process;
    const haveRuns = this.#waiting.of(environment).every(({ ownerId }) => this.#shares.hasRuns(ownerId));
    const isForOthers = haveRuns && this.#isReserved(environment, this.#parked.of(environment).length + 1);
    const waiting = isForOthers ? undefined : this.#waiting.takeNext(environment);
    if (waiting) waiting.resolve(process);
    else if (this.#closed) this.#drop(process);
    else this.#park(process);
  }

  #dropBeyondAsleep(): void {
    for (const process of this.#parked.beyondAsleep(this.#deps.parked)) this.#drop(process);
  }

  #park(process: PooledProcess): void {
    this.#parked.add(process);
    void process.process.ended.then(() => {
      if (!this.#parked.has(process)) return;
      this.#deps.log.warn({ environment: process.environment, reason: process.unusable }, 'parked process ended');
      this.#drop(process);
      this.#retryLater();
    });
    // The process may have been starting when the pool fell asleep.
    if (this.#sleep.isAsleep) this.#dropBeyondAsleep();
    this.#refillIn(REFILL_AFTER_END_MS);
  }

  #startFailed(environment: Environment, error: unknown): void {
    const waiting = this.#waiting.of(environment);
    // Fail one of the waiting runs, unless enough other starts are in progress for all waiting runs.
    const failed = waiting.length > this.#startsOf(environment) ? waiting[0] : undefined;
    if (failed?.hasFailed) {
      this.#waiting.remove(failed);
      const parked = this.#takeParked(environment);
      if (parked) failed.resolve(parked);
      else failed.reject(error);
    } else {
      if (failed) failed.hasFailed = true;
      this.#deps.log.warn({ environment, reason: String(error) }, 'failed to park a process');
    }
    this.#retryLater();
  }

  #retryLater(): void {
    this.#failures += 1;
    this.#refillIn(Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.min(this.#failures, 10)));
  }

  /** Schedules a refill after `ms`, unless one is scheduled for an earlier time. */
  #refillIn(ms: number): void {
    const delayMs = this.#failures > 0 ? Math.max(ms, RETRY_MS) : ms;
    const at = performance.now() + delayMs;
    if (this.#closed || at >= this.#refillAt) return;
    clearTimeout(this.#refillTimer);
    this.#refillAt = at;
    this.#refillTimer = setTimeout(() => this.#refillNow(), delayMs).unref();
  }

  #refillNow(): void {
    this.#refillAt = Number.POSITIVE_INFINITY;
    // The free slots are reserved for runs that are about to begin.
    if (this.#closed || this.#freeSlots.count === 0 || this.#isShort()) return;
    for (const [environment, count] of this.#deps.parked) {
      const min = this.#sleep.isAsleep ? count.asleep : count.min;
      const parked = this.#parked.of(environment).length;
      // While enough processes are parked, start only one at a time. If only a few are left, start several, because
      // runs would soon have to wait.
      const atOnce = parked < min / 2 ? this.#deps.startsAtOnce : 1;
      const max = Math.min(min - parked, atOnce);
      while (this.#startsOf(environment) < max) this.#start(environment);
    }
    if (this.#starts.size === 0 && !this.#prepareNext() && !this.#sleep.isAsleep) this.#parkSpare();
  }

  /** Uses idle time to preload libraries into a parked process. Returns whether there was one without them. */
  #prepareNext(): boolean {
    const next = this.#parked.unprepared;
    if (!next) return false;
    next.prepare();
    this.#refillIn(PREPARING_MS);
    return true;
  }

  /** Uses idle time to park a process for the case that many runs begin at once. */
  #parkSpare(): void {
    const { parked, size, memory, cpu } = this.#deps;
    const next = [...parked].find(([environment, { max }]) => this.#parked.of(environment).length < max);
    if (!next) return;
    const now = performance.now();
    if (now >= this.#spareAt) {
      this.#spareAt = now + SPARE_MS;
      const isIdle = cpu.read() < IDLE_CPU_SHARE;
      const hasRoom = this.#freeSlots.count > size / 2 && memory.free > memory.total * SPARE_FREE_SHARE;
      if (isIdle && hasRoom) this.#start(next[0]);
    }
    this.#refillIn(this.#spareAt - now);
  }

  /**
   * Whether only accounts without a run on this worker may take one of so many parked processes. Otherwise an account
   * that starts many runs at once would make the first run of every other account wait for a new process.
   */
  #isReserved(environment: Environment, parked = this.#parked.of(environment).length): boolean {
    const { min = 0 } = this.#deps.parked.get(environment) ?? {};
    return !this.#closed && parked <= min / 2 && this.#freeSlots.count > 0 && !this.#isShort();
  }

  #takeParked(environment: Environment): PooledProcess | undefined {
    for (const process of this.#parked.of(environment)) {
      this.#parked.delete(process);
      if (process.isUsable) return process;
      this.#drop(process);
    }
    return undefined;
  }

  #keep(process: PooledProcess, endedWithLease: boolean): void {
    process.pipes.listen(undefined);
    // Even when memory is short, keep a process that was warm before: it already has its memory, and a new process
    // would need more.
    const isTooLarge = process.runs === 1 && this.#isShort();
    if (this.#closed || process.key === null || process.unusable !== null || isTooLarge) {
      this.#drop(process);
      return;
    }
    const { identity } = process.process;
    if (endedWithLease) this.#deps.watchdog.watch({ slotIndex: process.slotIndex, identity, endsWithLease: false });
    this.#warm.keep(process);
  }

  /** Ends a process that no run uses. Does not wait for its end. */
  #drop(process: PooledProcess): void {
    this.#warm.remove(process);
    this.#parked.delete(process);
    void this.#end(process);
  }

  #end(process: PooledProcess): Promise<void> {
    process.pipes.listen(undefined);
    const ending = this.#endAll(process).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    return ending;
  }

  async #endAll(process: PooledProcess): Promise<void> {
    // Let the worker send the result of the run before it kills the process, because somebody may wait for the result.
    await new Promise(setImmediate);
    try {
      await process.kill();
    } catch (error) {
      this.#retireSlot(process.slotIndex, error);
      return;
    }
    this.#deps.watchdog.ended(process.slotIndex);
    const { hasUsedNetwork = true } = await process.process.ended;
    await this.#releaseSlot(process.slotIndex, hasUsedNetwork);
  }

  async #releaseSlot(slotIndex: number, hasUsedNetwork: boolean): Promise<void> {
    try {
      await this.#deps.executor.clear(slotIndex);
      this.#deps.registry.remove(slotIndex);
      this.#freeSlots.add(slotIndex, hasUsedNetwork);
    } catch (error) {
      this.#retireSlot(slotIndex, error);
    }
  }

  #retireSlot(slotIndex: number, error: unknown): void {
    this.#deps.log.error(
      { slotIndex, reason: String(error) },
      'failed to clear a process slot; it stays unused until the worker restarts',
    );
  }

  #isShort(): boolean {
    return this.#deps.memory.free < MIN_FREE_BYTES;
  }

  #startsOf(environment: Environment): number {
    return this.#starting.get(environment) ?? 0;
  }
}
