import { LRUCache } from 'lru-cache';
import type { SessionUser } from '../current-user.js';

interface TokenOwner {
  user: SessionUser;
  expiresAtMs: number;
}

/**
 * Caches the user of each token. The number of tokens is limited, and all tokens of one user can be removed.
 * See docs/decisions/0054-cache-tokens-in-memory.md.
 */
export class TokenCache {
  readonly #owners: LRUCache<string, TokenOwner>;
  readonly #tokensByUser = new Map<string, Set<string>>();
  /** Number of invalidations so far. If it has changed during a lookup, the lookup may have read outdated rows. */
  #invalidations = 0;

  constructor(maxTokens = 20_000) {
    this.#owners = new LRUCache({
      max: maxTokens,
      dispose: ({ user }, token) => this.#unlink(user.id, token),
    });
  }

  get size(): number {
    return this.#owners.size;
  }

  get(token: string): SessionUser | null {
    const owner = this.#owners.get(token);
    if (!owner) return null;
    if (owner.expiresAtMs > Date.now()) return owner.user;
    this.#owners.delete(token);
    return null;
  }

  /**
   * Looks up a token with `find`. Keeps the result if `mayKeep` returns true and nothing was invalidated during the
   * lookup.
   */
  async load(
    token: string,
    find: () => Promise<TokenOwner | null>,
    mayKeep: () => boolean,
  ): Promise<SessionUser | null> {
    const before = this.#invalidations;
    const owner = await find();
    if (owner && mayKeep() && before === this.#invalidations) this.#set(token, owner);
    return owner?.user ?? null;
  }

  invalidateUser(userId: string): void {
    this.#invalidations += 1;
    for (const token of [...(this.#tokensByUser.get(userId) ?? [])]) this.#owners.delete(token);
  }

  invalidateAll(): void {
    this.#invalidations += 1;
    this.#owners.clear();
  }

  #set(token: string, owner: TokenOwner): void {
    this.#owners.set(token, owner);
    const tokens = this.#tokensByUser.get(owner.user.id) ?? new Set();
    this.#tokensByUser.set(owner.user.id, tokens.add(token));
  }

  #unlink(userId: string, token: string): void {
    const tokens = this.#tokensByUser.get(userId);
    tokens?.delete(token);
    if (tokens?.size === 0) this.#tokensByUser.delete(userId);
  }
}
