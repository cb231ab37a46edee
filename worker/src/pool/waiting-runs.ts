import type { Environment } from '@trawl/contracts';
import { LRUCache } from 'lru-cache';
import type { PooledProcess } from './pooled-process.js';

export interface WaitingRun {
  environment: Environment;
  ownerId: string;
  /** Whether a start for this run has failed. The run gets a second start, because its spawner may just have died. */
  hasFailed: boolean;
  resolve: (process: PooledProcess) => void;
  reject: (error: unknown) => void;
}

const MAX_OWNERS = 1_000;

/**
 * The runs that wait for a process to be started. Their owners take turns, so that an owner who starts many runs at once
 * does not delay the runs of others.
 */
export class WaitingRuns {
  readonly #runs: WaitingRun[] = [];
  /** For each owner, the number of the turn in which a run of that owner got a process. */
  readonly #lastTurns = new LRUCache<string, number>({ max: MAX_OWNERS });
  #turn = 0;

  get environments(): Set<Environment> {
    return new Set(this.#runs.map(({ environment }) => environment));
  }

  /** Lists the runs of an environment in the order in which they began to wait. */
  of(environment: Environment): WaitingRun[] {
    return this.#runs.filter(run => run.environment === environment);
  }

  add(run: WaitingRun): void {
    this.#runs.push(run);
  }

  /** Removes a run. Returns false if it does not wait. */
  remove(run: WaitingRun): boolean {
    const at = this.#runs.indexOf(run);
    if (at >= 0) this.#runs.splice(at, 1);
    return at >= 0;
  }

  /** Removes and returns the run that gets the next process, that of the owner whose last turn is the longest ago. */
  takeNext(environment: Environment): WaitingRun | undefined {
    const lastTurnOf = ({ ownerId }: WaitingRun) => this.#lastTurns.get(ownerId) ?? 0;
    const [first, ...others] = this.of(environment);
    if (!first) return undefined;
    const next = others.reduce((best, run) => (lastTurnOf(run) < lastTurnOf(best) ? run : best), first);
    this.#turn += 1;
    this.#lastTurns.set(next.ownerId, this.#turn);
    this.remove(next);
    return next;
  }
}
