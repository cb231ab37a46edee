import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Cron } from '@nestjs/schedule';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, LessThan, type Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { Config } from '../common/config.js';
import { type DeletedDto, entityFields } from '../common/entity.js';
import { notFound } from '../common/errors.js';
import { type List, type ListQuery, parseSort } from '../common/list-query.js';
import { listPage } from '../common/list-rows.js';
import { derive } from '../common/secret-box.js';
import { CallerChanges } from './caller-changes.service.js';
import type { SessionUser } from './current-user.js';
import { Session } from './session.entity.js';
import type { SessionDto } from './sessions.dto.js';

const SESSION_HOURS = 5;
const SORTABLE = ['created_at', 'expires_at', 'id'];

export interface TokenClaims {
  /** The user's id. */
  sub: string;
  /** The session's id. */
  sid: string;
}

export const tokenKey = (config: Config): Buffer => derive(config.secret, 'trawl tokens');

@Injectable()
export class SessionsService {
  constructor(
    @InjectRepository(Session) private readonly sessions: Repository<Session>,
    private readonly jwt: JwtService,
    private readonly changes: CallerChanges,
  ) {}

  /**
   * Opens a session and answers the token that names it; null when the user is disabled or has meanwhile another
   * password than the one that was checked. The lock makes a change of password wait for this session and find it.
   */
  async open(userId: string, passwordHash: string, ip: string | null = null): Promise<string | null> {
    const [session] = await this.sessions.query<{ id: string }[]>(
      `INSERT INTO sessions (id, user_id, expires_at, ip)
       SELECT $1::uuid, id, now() + $4 * interval '1 hour', $5 FROM users
       WHERE id = $2 AND password_hash = $3 AND disabled_at IS NULL FOR SHARE
       RETURNING id`,
      [uuidv7(), userId, passwordHash, SESSION_HOURS, ip],
    );
    if (!session) return null;
    const claims: TokenClaims = { sub: userId, sid: session.id };
    return this.jwt.signAsync(claims, { expiresIn: `${SESSION_HOURS}h` });
  }

  async list(user: SessionUser, query: ListQuery): Promise<List<SessionDto>> {
    const standing = this.sessions
      .createQueryBuilder('s')
      .where('s.user_id = :userId AND s.expires_at > now()', { userId: user.id });
    return listPage(standing, query, parseSort(query.sort, SORTABLE), rows =>
      rows.map(row => ({
        ...entityFields(row),
        ip: row.ip,
        expires_at: row.expires_at.toISOString(),
        current: row.id === user.session_id,
      })),
    );
  }

  /** @throws {ApiError} 404, also for a session of another user. */
  async end(userId: string, sessionId: string): Promise<DeletedDto> {
    if (!(await this.close(userId, sessionId))) throw notFound('session', sessionId);
    return { deleted: { sessions: 1 } };
  }

  /** From here on its token is worth nothing, and its live connections are cut. */
  async close(userId: string, sessionId: string): Promise<boolean> {
    const { affected } = await this.sessions.delete({ id: sessionId, user_id: userId });
    this.changes.tell(userId);
    return affected === 1;
  }

  /** Ends all sessions of a user, within the caller's transaction; call `CallerChanges.tell` after its commit. */
  async removeAll(userId: string, transaction: EntityManager): Promise<void> {
    await transaction.delete(Session, { user_id: userId });
  }

  @Cron('17 * * * *')
  async removeExpired(): Promise<void> {
    await this.sessions.delete({ expires_at: LessThan(new Date()) });
  }
}
