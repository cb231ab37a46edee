import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { hash, verify } from '@node-rs/argon2';
import type { Repository } from 'typeorm';
import { ApiError } from '../common/errors.js';
import { User } from '../users/user.entity.js';
import type { LoginAnswerDto, LoginDto } from './auth.dto.js';
import { SessionsService } from './sessions.service.js';

@Injectable()
export class AuthService {
  /** Checked when there is no such user, so that the time of an answer does not tell who exists. */
  readonly #nobodysHash = hash(randomBytes(32));

  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly sessions: SessionsService,
  ) {}

  /** @throws {ApiError} 401 `bad_login`, whatever was wrong. */
  async login({ username, password }: LoginDto): Promise<LoginAnswerDto> {
    const user = await this.users.findOneBy({ username: username.trim().toLowerCase() });
    const matches = await verify(user?.password_hash ?? (await this.#nobodysHash), password);
    if (!user?.password_hash || !matches) throw new ApiError('bad_login', 'Bad Login');
    const jwtToken = await this.sessions.open(user.id, user.password_hash);
    if (jwtToken === null) throw new ApiError('bad_login', 'Bad Login');
    return {
      jwtToken,
      loggedUser: { id: user.id, username: user.username, role: user.role },
      message: `Signed in as ${user.username}.`,
    };
  }
}
