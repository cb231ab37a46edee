import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, LessThan, type Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { SecretBox } from '../common/secret-box.service.js';
import { Cleanups } from '../database/cleanups.service.js';
import { Session } from './session.entity.js';
import { TokenChanges } from './tokens/token-changes.service.js';
import { signingKey } from './tokens/token-keys.js';

/** A session ends this long after the last activity of its user. */
const SESSION_HOURS = 5;
/** It ends this long after the sign-in in any case, so that a stolen token cannot be renewed for ever. */
const MAX_SESSION_HOURS = 24;

export interface TokenClaims {
  /** The user's id. */
  sub: string;
  /** The session's id. */
  sid: string;
  /** When the token expires, in seconds since 1970. */
  exp: number;
}

/** Opens and closes sessions, and issues their tokens. */
@Injectable()
export class SessionTokens implements OnModuleInit {
  constructor(
    @InjectRepository(Session) private readonly sessions: Repository<Session>,
    private readonly jwt: JwtService,
    private readonly changes: TokenChanges,
    private readonly secretBox: SecretBox,
    private readonly cleanups: Cleanups,
  ) {}

  onModuleInit(): void {
    this.cleanups.add('sessions', 'hourly', () => this.removeExpired());
  }

  /**
   * Opens a session and returns its token. Returns null when the user is disabled or expired, or when the password was
   * changed after `passwordHash` was checked. `FOR SHARE` makes a concurrent password change wait until this session is
   * written; the change then ends the session.
   */
  async open(userId: string, passwordHash: string, ip: string | null = null): Promise<string | null> {
    const [session] = await this.sessions.query<{ id: string }[]>(
      `INSERT INTO sessions (id, user_id, expires_at, ip)
       SELECT $1::uuid, id, now() + $4 * interval '1 hour', $5 FROM users
       WHERE id = $2 AND password_hash = $3 AND disabled_at IS NULL
         AND (expires_at IS NULL OR expires_at > now()) FOR SHARE
       RETURNING id`,
      [uuidv7(), userId, passwordHash, SESSION_HOURS, ip],
    );
    return session ? this.#sign(userId, session.id, SESSION_HOURS * 3600) : null;
  }

  /**
   * Lengthens a session, and returns its new token. Earlier tokens of the session expire at their own time. Returns null
   * when the session has ended or expired, or its user is disabled or expired.
   */
  async renew(userId: string, sessionId: string): Promise<string | null> {
    const [[session]] = await this.sessions.query<[{ seconds: number }[], number]>(
      `UPDATE sessions s SET updated_at = now(),
         expires_at = least(now() + $3 * interval '1 hour', s.created_at + $4 * interval '1 hour')
       FROM users u WHERE s.id = $1 AND s.user_id = $2 AND s.expires_at > now()
         AND u.id = s.user_id AND u.disabled_at IS NULL AND (u.expires_at IS NULL OR u.expires_at > now())
       RETURNING floor(extract(epoch FROM s.expires_at - now()))::int AS seconds`,
      [sessionId, userId, SESSION_HOURS, MAX_SESSION_HOURS],
    );
    return session ? this.#sign(userId, sessionId, session.seconds) : null;
  }

  #sign(userId: string, sessionId: string, expiresInSeconds: number): Promise<string> {
    const claims: Omit<TokenClaims, 'exp'> = { sub: userId, sid: sessionId };
    return this.jwt.signAsync(claims, { secret: signingKey(this.secretBox), expiresIn: expiresInSeconds });
  }

  /** Invalidates the session's token and closes its live connections. Returns false if the user has no such session. */
  async close(userId: string, sessionId: string): Promise<boolean> {
    const { affected } = await this.sessions.delete({ id: sessionId, user_id: userId });
    this.changes.publish(userId);
    return affected === 1;
  }

  /** Ends all sessions of a user in the caller's transaction. Call `TokenChanges.publish` after its commit. */
  async removeAll(userId: string, transaction: EntityManager): Promise<void> {
    await transaction.delete(Session, { user_id: userId });
  }

  async removeExpired(): Promise<void> {
    await this.sessions.delete({ expires_at: LessThan(new Date()) });
  }
}
