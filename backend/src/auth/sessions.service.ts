import { Inject, Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Cron } from '@nestjs/schedule';
import { InjectRepository } from '@nestjs/typeorm';
import { Subject } from 'rxjs';
import { type EntityManager, LessThan, type Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { CONFIG, type Config } from '../common/config.js';
import { derive } from '../common/secret-box.js';
import type { SessionUser } from './current-user.js';
import { Session } from './session.entity.js';

const SESSION_HOURS = 5;

export interface TokenClaims {
  /** The user's id. */
  sub: string;
  /** The session's id. */
  sid: string;
}

export const tokenKey = (config: Config): Buffer => derive(config.secret, 'trawl tokens');

@Injectable()
export class SessionsService {
  /** Ids of sessions as they are closed. */
  readonly closed = new Subject<string>();

  constructor(
    @InjectRepository(Session) private readonly sessions: Repository<Session>,
    private readonly jwt: JwtService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Opens a session and answers the token that names it; null when the user is disabled or has meanwhile another
   * password than the one that was checked. The lock makes a change of password wait for this session and find it.
   */
  async open(userId: string, passwordHash: string): Promise<string | null> {
    const [session] = await this.sessions.query<{ id: string }[]>(
      `INSERT INTO sessions (id, user_id, expires_at)
       SELECT $1::uuid, id, now() + $4 * interval '1 hour' FROM users
       WHERE id = $2 AND password_hash = $3 AND disabled_at IS NULL FOR SHARE
       RETURNING id`,
      [uuidv7(), userId, passwordHash, SESSION_HOURS],
    );
    if (!session) return null;
    const claims: TokenClaims = { sub: userId, sid: session.id };
    return this.jwt.signAsync(claims, { expiresIn: `${SESSION_HOURS}h` });
  }

  /** From here on its token is worth nothing, and its live connections are cut. */
  async close(sessionId: string): Promise<void> {
    await this.sessions.delete({ id: sessionId });
    this.closed.next(sessionId);
  }

  /** Ends all sessions of a user within the caller's transaction; after its commit the ids go to `closed`. */
  async removeAll(userId: string, transaction: EntityManager): Promise<string[]> {
    const [sessions] = await transaction.query<[{ id: string }[], number]>(
      `DELETE FROM sessions WHERE user_id = $1 RETURNING id`,
      [userId],
    );
    return sessions.map(({ id }) => id);
  }

  /** The user of a token whose session still stands, also of the text of a token that came over a socket. */
  async userOf(token: TokenClaims | string): Promise<SessionUser | null> {
    const claims = typeof token === 'string' ? await this.#verify(token) : token;
    if (!claims) return null;
    const [row] = await this.sessions.query<SessionUser[]>(
      `SELECT u.id, u.username, u.role, u.built_in, s.id AS session_id
       FROM sessions s JOIN users u ON u.id = s.user_id
       WHERE s.id = $1 AND s.user_id = $2 AND s.expires_at > now() AND u.disabled_at IS NULL`,
      [claims.sid, claims.sub],
    );
    return row ?? null;
  }

  async #verify(token: string): Promise<TokenClaims | null> {
    try {
      return await this.jwt.verifyAsync<TokenClaims>(token, { secret: tokenKey(this.config), algorithms: ['HS256'] });
    } catch {
      // Expired, forged or not a token at all: for the caller each is "no user".
      return null;
    }
  }

  @Cron('17 * * * *')
  async removeExpired(): Promise<void> {
    await this.sessions.delete({ expires_at: LessThan(new Date()) });
  }
}
