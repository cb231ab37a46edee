import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { ApiError } from '../../common/errors.js';
import { SecretBox } from '../../common/secret-box.service.js';
import { isApiKey } from '../api-key-format.js';
import type { SessionUser } from '../current-user.js';
import { KeyUses } from '../key-uses.service.js';
import type { TokenClaims } from '../session-tokens.service.js';
import { TokenCache } from './token-cache.js';
import { TokenChanges } from './token-changes.service.js';
import { verifyingKey } from './token-keys.js';
import { TokenOwners } from './token-owners.repository.js';

/** Resolves session tokens and API keys to users. Uses its cache only while `TokenChanges` delivers every change. */
@Injectable()
export class TokenResolver implements OnModuleDestroy {
  readonly #cache = new TokenCache();
  readonly #subscription;

  constructor(
    private readonly owners: TokenOwners,
    private readonly changes: TokenChanges,
    private readonly uses: KeyUses,
    private readonly jwt: JwtService,
    private readonly secretBox: SecretBox,
  ) {
    this.#subscription = changes.changed.subscribe(userId =>
      userId === null ? this.#cache.invalidateAll() : this.#cache.invalidateUser(userId),
    );
  }

  onModuleDestroy(): void {
    this.#subscription.unsubscribe();
  }

  /** Reads only the cache. A token that is not in the cache gives null, but may still be valid. */
  cached(token: string): SessionUser | null {
    const user = this.changes.isListening ? this.#cache.get(token) : null;
    if (user?.key) this.uses.note(user.key.id);
    return user;
  }

  /** Returns null for an API key that is unknown, revoked or expired. */
  async resolveKey(key: string): Promise<SessionUser | null> {
    const user = await this.#cache.load(key, () => this.owners.ofKey(key), this.#mayKeep);
    if (user?.key) this.uses.note(user.key.id);
    return user;
  }

  /** Call it only with a token whose signature is verified. Returns null if the session has ended or expired. */
  resolveSession(token: string, claims: TokenClaims): Promise<SessionUser | null> {
    return this.#cache.load(token, () => this.owners.ofSession(claims), this.#mayKeep);
  }

  /**
   * Checks a session token or API key completely and returns its user. Use it for tokens that the guard has not
   * checked.
   */
  async resolve(token: string): Promise<SessionUser | null> {
    const cached = this.cached(token);
    if (cached) return cached;
    if (isApiKey(token)) return this.resolveKey(token);
    const claims = await this.#verify(token);
    return claims && this.resolveSession(token, claims);
  }

  /**
   * Checks a call's token again. Use it after the call has waited.
   * @throws {ApiError} 401 when its session or API key ended meanwhile.
   */
  async assertValid(token: string): Promise<void> {
    if (await this.resolve(token)) return;
    throw new ApiError(
      'unauthorized',
      'Your session or API key expired or was revoked while this call waited for its run. The run continues. Sign in again to see it.',
    );
  }

  readonly #mayKeep = (): boolean => this.changes.isListening;

  /** Returns null for a token that is expired, forged or malformed. */
  async #verify(token: string): Promise<TokenClaims | null> {
    try {
      const secret = verifyingKey(token, this.secretBox, this.jwt);
      return await this.jwt.verifyAsync<TokenClaims>(token, { secret, algorithms: ['HS256'] });
    } catch {
      return null;
    }
  }
}
