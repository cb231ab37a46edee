import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import { CONFIG, type Config } from '../common/config.js';
import { bearerOf } from './bearer.js';
import { CallersService } from './callers.service.js';
import type { SessionUser } from './current-user.js';
import { type TokenClaims, tokenKey } from './sessions.service.js';

@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) {
  constructor(
    @Inject(CONFIG) config: Config,
    private readonly callers: CallersService,
  ) {
    super({
      jwtFromRequest: bearerOf,
      secretOrKey: tokenKey(config),
      algorithms: ['HS256'],
      passReqToCallback: true,
    });
  }

  async validate(request: Request, claims: TokenClaims): Promise<SessionUser | false> {
    return (await this.callers.ofSession(bearerOf(request) ?? '', claims)) ?? false;
  }
}
