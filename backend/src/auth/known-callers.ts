import type { SessionUser } from './current-user.js';

interface Known {
  user: SessionUser;
  expiresAtMs: number;
}

/**
 * Whose a token is, as far as it was asked lately. Bounded: the token that came first goes first, and is asked for again.
 */
export class KnownCallers {
  readonly #byToken = new Map<string, Known>();
  readonly #tokensOf = new Map<string, Set<string>>();
  /** How often something was forgotten: an answer that was under way meanwhile may be older than that. */
  #forgotten = 0;

  constructor(private readonly maxTokens = 20_000) {}

  get size(): number {
    return this.#byToken.size;
  }

  get(token: string): SessionUser | null {
    const known = this.#byToken.get(token);
    if (!known) return null;
    if (known.expiresAtMs > Date.now()) return known.user;
    this.#drop(token, known.user.id);
    return null;
  }

  /** Asks whose a token is, and keeps the answer unless something was forgotten meanwhile. */
  async ask(token: string, find: () => Promise<Known | null>, mayKeep: () => boolean): Promise<SessionUser | null> {
    const before = this.#forgotten;
    const found = await find();
    if (found && mayKeep() && before === this.#forgotten) this.#keep(token, found);
    return found?.user ?? null;
  }

  forget(userId: string): void {
    this.#forgotten += 1;
    for (const token of this.#tokensOf.get(userId) ?? []) this.#byToken.delete(token);
    this.#tokensOf.delete(userId);
  }

  forgetAll(): void {
    this.#forgotten += 1;
    this.#byToken.clear();
    this.#tokensOf.clear();
  }

  #keep(token: string, known: Known): void {
    this.#byToken.set(token, known);
    const tokens = this.#tokensOf.get(known.user.id) ?? new Set();
    this.#tokensOf.set(known.user.id, tokens.add(token));
    if (this.#byToken.size <= this.maxTokens) return;
    const [oldest] = this.#byToken;
    if (oldest) this.#drop(oldest[0], oldest[1].user.id);
  }

  #drop(token: string, userId: string): void {
    this.#byToken.delete(token);
    const tokens = this.#tokensOf.get(userId);
    tokens?.delete(token);
    if (tokens?.size === 0) this.#tokensOf.delete(userId);
  }
}
