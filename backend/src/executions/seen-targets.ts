import type { RunnableSkript } from '../skripts/bundles.service.js';
import type { CandidateWorker } from './start-targets.service.js';

/** What a start looked up: a skript, and the workers that its account may choose from. */
export interface Seen {
  skript: RunnableSkript;
  candidates: CandidateWorker[];
}

/** Longer, and a worker that has just come would not be thought of. */
const KEPT_MS = 1_000;
const MOST = 1_000;

/**
 * What starts looked up within the last second, for the next of the same. It is only where to begin: whoever uses it lets
 * the statement that inserts hold it against the rows.
 */
export class SeenTargets {
  readonly #seen = new Map<string, Seen & { untilMs: number }>();

  get(what: string): Seen | null {
    const seen = this.#seen.get(what);
    if (seen && performance.now() < seen.untilMs) return seen;
    this.#seen.delete(what);
    return null;
  }

  keep(what: string, seen: Seen): void {
    if (this.#seen.size >= MOST) this.#seen.clear();
    this.#seen.set(what, { ...seen, untilMs: performance.now() + KEPT_MS });
  }
}
