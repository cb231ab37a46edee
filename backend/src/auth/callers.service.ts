import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import type { KeyScope, Role } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { ApiError } from '../common/errors.js';
import { hashOfKey, isApiKey } from './api-keys.service.js';
import { CallerChanges } from './caller-changes.service.js';
import type { SessionUser } from './current-user.js';
import { KeyUses } from './key-uses.service.js';
import { KnownCallers } from './known-callers.js';
import { type TokenClaims, tokenKey } from './sessions.service.js';

interface CallerRow {
  id: string;
  username: string;
  role: Role;
  built_in: boolean;
  expires_at: Date | null;
}
interface KeyRow extends CallerRow {
  key_id: string;
  key_name: string;
  scope: KeyScope;
}

const CALLER = 'u.id, u.username, u.role, u.built_in';

/** Whose a token or an API key is. What is known is kept in memory, and counts for as long as every change of it is heard of. */
@Injectable()
export class CallersService implements OnModuleDestroy {
  readonly #known = new KnownCallers();
  readonly #hearing;

  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: CallerChanges,
    private readonly uses: KeyUses,
    private readonly jwt: JwtService,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.#hearing = changes.heard.subscribe(userId =>
      userId === null ? this.#known.forgetAll() : this.#known.forget(userId),
    );
  }

  onModuleDestroy(): void {
    this.#hearing.unsubscribe();
  }

  /** Null: not known, which says nothing about the token. */
  known(token: string): SessionUser | null {
    const user = this.changes.isListening ? this.#known.get(token) : null;
    if (user?.key) this.uses.note(user.key.id);
    return user;
  }

  /** The user of an API key that still works. */
  async ofKey(key: string): Promise<SessionUser | null> {
    const user = await this.#known.ask(key, () => this.#findKey(key), this.#mayKeep);
    if (user?.key) this.uses.note(user.key.id);
    return user;
  }

  /** The user of a token, its signature checked already, whose session still stands. */
  ofSession(token: string, claims: TokenClaims): Promise<SessionUser | null> {
    return this.#known.ask(token, () => this.#findSession(claims), this.#mayKeep);
  }

  /** The same for the text of a token or a key that came over a socket. */
  async of(token: string): Promise<SessionUser | null> {
    const known = this.known(token);
    if (known) return known;
    if (isApiKey(token)) return this.ofKey(token);
    const claims = await this.#verify(token);
    return claims && this.ofSession(token, claims);
  }

  /**
   * For a call that has waited, before it answers.
   * @throws {ApiError} 401 when its token or key has ended meanwhile.
   */
  async checkStands(token: string): Promise<void> {
    if (await this.of(token)) return;
    throw new ApiError(
      'unauthorized',
      'The token or API key of this call has ended while the call waited, so it is not answered. What it began goes on: look with a valid token.',
    );
  }

  readonly #mayKeep = (): boolean => this.changes.isListening;

  async #findKey(key: string) {
    const [row] = await this.dataSource.query<KeyRow[]>(
      `SELECT ${CALLER}, k.id AS key_id, k.name AS key_name, k.scope, k.expires_at
       FROM api_keys k JOIN users u ON u.id = k.user_id
       WHERE k.key_hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
         AND u.disabled_at IS NULL`,
      [hashOfKey(key)],
    );
    return row ? found(row, { session_id: null, key: { id: row.key_id, name: row.key_name, scope: row.scope } }) : null;
  }

  async #findSession({ sid, sub }: TokenClaims) {
    const [row] = await this.dataSource.query<CallerRow[]>(
      `SELECT ${CALLER}, s.expires_at FROM sessions s JOIN users u ON u.id = s.user_id
       WHERE s.id = $1 AND s.user_id = $2 AND s.expires_at > now() AND u.disabled_at IS NULL`,
      [sid, sub],
    );
    return row ? found(row, { session_id: sid, key: null }) : null;
  }

  async #verify(token: string): Promise<TokenClaims | null> {
    try {
      return await this.jwt.verifyAsync<TokenClaims>(token, { secret: tokenKey(this.config), algorithms: ['HS256'] });
    } catch {
      // Expired, forged or not a token at all: for the caller each is "no user".
      return null;
    }
  }
}

function found({ id, username, role, built_in, expires_at }: CallerRow, by: Pick<SessionUser, 'session_id' | 'key'>) {
  // Many requests share it.
  const user = Object.freeze({ id, username, role, built_in, ...by });
  return { user, expiresAtMs: expires_at?.getTime() ?? Number.POSITIVE_INFINITY };
}
