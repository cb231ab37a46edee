import { LRUCache } from 'lru-cache';

/** More code than this, in characters, is a large build. */
const LARGE_CHARS = 1_000_000;
/** How long the builds of an account can take in a minute before further ones are no longer preferred. */
const PREFERRED_MS = 10_000;
const WINDOW_MS = 60_000;
const MAX_ACCOUNTS = 10_000;

/** Values for `nice`. */
const PREFERRED = -10;
const ORDINARY = 0;
const LARGE = 10;

/**
 * Chooses how builds share the processors with each other and with other work of the machine. The builds of an account
 * that builds little come first, so they take about as long as on an idle machine. The time in which they do is limited,
 * so an account that builds without end cannot delay others.
 */
export class BuildPriorities {
  /** Time that builds have taken, in ms, by account. */
  readonly #takenMs = new LRUCache<string, number>({ max: MAX_ACCOUNTS, ttl: WINDOW_MS, noUpdateTTL: true });
  readonly #isPreferred: boolean;

  /** @param isPreferred whether the backend is preferred to other programs. If not, builds would delay the backend. */
  constructor(isPreferred: boolean) {
    this.#isPreferred = isPreferred;
  }

  /** Returns the value for `nice` of a build with this much code. */
  niceOf(ownerId: string, chars: number): number {
    if (chars > LARGE_CHARS) return LARGE;
    return this.#isPreferred && (this.#takenMs.get(ownerId) ?? 0) < PREFERRED_MS ? PREFERRED : ORDINARY;
  }

  add(ownerId: string, takenMs: number): void {
    this.#takenMs.set(ownerId, (this.#takenMs.get(ownerId) ?? 0) + takenMs);
  }
}
