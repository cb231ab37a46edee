import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import { CONFIG, type Config } from '../common/config.js';
import { bearerOf } from './bearer.js';
import type { SessionUser } from './current-user.js';
import { type TokenClaims, tokenKey } from './session-tokens.service.js';
import { TokenResolver } from './tokens/token-resolver.service.js';

@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) {
  constructor(
    @Inject(CONFIG) config: Config,
    private readonly tokens: TokenResolver,
  ) {
    super({
      jwtFromRequest: bearerOf,
      // The types do not know that jsonwebtoken, which gets it, also takes a KeyObject.
      secretOrKey: tokenKey(config) as unknown as Buffer,
      algorithms: ['HS256'],
      passReqToCallback: true,
    });
  }

  async validate(request: Request, claims: TokenClaims): Promise<SessionUser | false> {
    return (await this.tokens.resolveSession(bearerOf(request) ?? '', claims)) ?? false;
  }
}
