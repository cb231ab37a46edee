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
  readonly #nobodysHash = hash('no password has this hash');

  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly sessions: SessionsService,
  ) {}

  /** @throws {ApiError} 401 `bad_login`, whatever was wrong. */
  async login({ username, password }: LoginDto): Promise<LoginAnswerDto> {
    const user = await this.users.findOneBy({ username: username.trim().toLowerCase() });
    const matches = await verify(user?.password_hash ?? (await this.#nobodysHash), password);
    if (!user || !matches || user.disabled_at) throw new ApiError('bad_login', 'Bad Login');
    return {
      jwtToken: await this.sessions.open(user.id),
      loggedUser: { id: user.id, username: user.username, role: user.role },
      message: `Signed in as ${user.username}.`,
    };
  }
}
