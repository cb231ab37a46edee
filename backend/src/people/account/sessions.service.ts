import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { SessionUser } from '../../platform/auth/current-user.js';
import { Session } from '../../platform/auth/session.entity.js';
import { SessionTokens } from '../../platform/auth/session-tokens.service.js';
import { type DeletedDto, entityFields } from '../../platform/common/entity.js';
import { ApiError, notFound } from '../../platform/common/errors.js';
import { type List, type ListQuery, parseSort } from '../../platform/http/lists/list-query.js';
import { listPage } from '../../platform/http/lists/list-rows.js';
import type { RenewedSessionDto, SessionDto } from './sessions.dto.js';

export const SORTABLE = ['created_at', 'expires_at', 'id'];

/** Lists, renews and ends the sessions of the user who asks. */
@Injectable()
export class SessionsService {
  constructor(
    @InjectRepository(Session) private readonly sessions: Repository<Session>,
    private readonly tokens: SessionTokens,
  ) {}

  list(user: SessionUser, query: ListQuery): Promise<List<SessionDto>> {
    const valid = this.sessions
      .createQueryBuilder('s')
      .where('s.user_id = :userId AND s.expires_at > now()', { userId: user.id });
    return listPage(valid, query, parseSort(query.sort, SORTABLE), rows =>
      rows.map(row => ({
        ...entityFields(row),
        ip: row.ip,
        expires_at: row.expires_at.toISOString(),
        current: row.id === user.session_id,
      })),
    );
  }

  /** @throws {ApiError} 401 if the session has ended since the guard looked. */
  async renew({ id, session_id }: SessionUser): Promise<RenewedSessionDto> {
    const jwtToken = session_id && (await this.tokens.renew(id, session_id));
    if (!jwtToken) throw new ApiError('unauthorized', 'Your session has ended. Sign in again.');
    return { jwtToken };
  }

  /** @throws {ApiError} 404, also for a session of another user. */
  async end(userId: string, sessionId: string): Promise<DeletedDto> {
    if (!(await this.tokens.close(userId, sessionId))) throw notFound('session', sessionId);
    return { deleted: { sessions: 1 } };
  }
}
