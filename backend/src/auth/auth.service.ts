import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { InjectRepository } from '@nestjs/typeorm';
import { hash, verify } from '@node-rs/argon2';
import type { Request } from 'express';
import type { Repository } from 'typeorm';
import { auditedAs } from '../audit/audited.js';
import { ApiError } from '../common/errors.js';
import { seenAddress } from '../common/seen-address.js';
import { User } from '../users/user.entity.js';
import type { ChangePasswordDto, LoginAnswerDto, LoginDto, MessageDto } from './auth.dto.js';
import { CallerChanges } from './caller-changes.service.js';
import type { SessionUser } from './current-user.js';
import { LoginLimits } from './login-limits.service.js';
import { SessionsService } from './sessions.service.js';

@Injectable()
export class AuthService {
  /** Checked when there is no such user, so that the time of an answer does not tell who exists. */
  readonly #nobodysHash = hash(randomBytes(32));

  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly sessions: SessionsService,
    private readonly limits: LoginLimits,
    private readonly callerChanges: CallerChanges,
  ) {}

  /** @throws {ApiError} 401 `bad_login`, whatever was wrong; 429 `too_many_requests`. */
  async login({ username: typed, password }: LoginDto, request: Request): Promise<LoginAnswerDto> {
    const username = typed.trim().toLowerCase();
    const ip = seenAddress(request);
    // Of IPv6 the network that one subscriber has.
    const address = normalizeIp(ip);
    const user = await this.users.findOneBy({ username });
    if (user) auditedAs(request, user);
    await this.limits.take(username, address);
    const matches = await verify(user?.password_hash ?? (await this.#nobodysHash), password);
    if (!user?.password_hash || !matches) throw new ApiError('bad_login', 'Bad Login');
    const jwtToken = await this.sessions.open(user.id, user.password_hash, ip);
    if (jwtToken === null) throw new ApiError('bad_login', 'Bad Login');
    await this.limits.succeeded(user.id, username, address);
    return {
      jwtToken,
      loggedUser: { id: user.id, username: user.username, role: user.role },
      message: `Signed in as ${user.username}.`,
    };
  }

  /**
   * Ends all sessions of the account, that of the call too.
   * @throws {ApiError} 400 naming the field when the password is not the present one, 429 `too_many_requests`.
   */
  async changePassword(
    { id }: SessionUser,
    { current_password, new_password }: ChangePasswordDto,
  ): Promise<MessageDto> {
    this.limits.takeOwn(id);
    const { password_hash: checkedHash } = await this.users.findOneByOrFail({ id });
    const matches = checkedHash !== null && (await verify(checkedHash, current_password));
    if (!matches) throw notThePassword();
    const password_hash = await hash(new_password);
    await this.users.manager.transaction(async manager => {
      const changed = await manager.update(
        User,
        { id, password_hash: checkedHash },
        { password_hash, updated_at: new Date() },
      );
      // Somebody else was faster, with another new one.
      if (!changed.affected) throw notThePassword();
      await manager.query('DELETE FROM password_links WHERE user_id = $1', [id]);
      await this.sessions.removeAll(id, manager);
    });
    this.limits.succeededOwn(id);
    this.callerChanges.tell(id);
    return { message: 'Your password is changed, and every session has ended. Sign in again with the new one.' };
  }
}

function notThePassword(): ApiError {
  const message = 'current_password is not your password';
  return new ApiError('validation_failed', `${message}.`, [{ field: 'current_password', message }]);
}
