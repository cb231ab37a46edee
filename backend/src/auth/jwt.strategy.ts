import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import { SecretBox } from '../common/secret-box.service.js';
import { bearerOf } from './bearer.js';
import type { SessionUser } from './current-user.js';
import { type TokenClaims, tokenKeys } from './session-tokens.service.js';
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
        done(null, keyOf(token, box, jwt)),
      algorithms: ['HS256'],
      passReqToCallback: true,
    });
  }

  async validate(request: Request, claims: TokenClaims): Promise<SessionUser | false> {
    return (await this.tokens.resolveSession(bearerOf(request) ?? '', claims)) ?? false;
  }
}

/** Returns the key that verifies a token. While the secret is rotated, that is the one with which it was signed. */
function keyOf(token: string, box: SecretBox, jwt: JwtService): Buffer {
  // The types do not know that jsonwebtoken, which gets it, also takes a KeyObject.
  const [current, other] = tokenKeys(box) as unknown as [Buffer, Buffer?];
  if (!other) return current;
  try {
    jwt.verify(token, { secret: current, ignoreExpiration: true });
    return current;
  } catch {
    return other;
  }
}
