import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { CONFIG, type Config } from '../common/config.js';
import type { SessionUser } from './current-user.js';
import { SessionsService, type TokenClaims, tokenKey } from './sessions.service.js';

@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) {
  constructor(
    @Inject(CONFIG) config: Config,
    private readonly sessions: SessionsService,
  ) {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      secretOrKey: tokenKey(config),
      algorithms: ['HS256'],
    });
  }

  async validate(claims: TokenClaims): Promise<SessionUser | false> {
    return (await this.sessions.userOf(claims)) ?? false;
  }
}
