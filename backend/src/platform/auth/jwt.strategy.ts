import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import { SecretBox } from '../common/secret-box.service.js';
import { bearerOf } from './bearer.js';
import type { SessionUser } from './current-user.js';
import type { TokenClaims } from './session-tokens.service.js';
import { verifyingKey } from './tokens/token-keys.js';
import { TokenResolver } from './tokens/token-resolver.service.js';

@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) {
  constructor(
    box: SecretBox,
    jwt: JwtService,
    private readonly tokens: TokenResolver,
  ) {
    super({
      jwtFromRequest: bearerOf,
      secretOrKeyProvider: (_request: Request, token: string, done: (error: null, key: Buffer) => void) =>
        done(null, verifyingKey(token, box, jwt)),
      algorithms: ['HS256'],
      passReqToCallback: true,
    });
  }

  async validate(request: Request, claims: TokenClaims): Promise<SessionUser | false> {
    return (await this.tokens.resolveSession(bearerOf(request) ?? '', claims)) ?? false;
  }
}
