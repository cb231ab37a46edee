import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKey } from './api-key.entity.js';
import { BearerGuard } from './auth.guard.js';
import { JwtStrategy } from './jwt.strategy.js';
import { KeyUses } from './key-uses.service.js';
import { Session } from './session.entity.js';
import { SessionTokens } from './session-tokens.service.js';
import { TokenChanges } from './tokens/token-changes.service.js';
import { TokenOwners } from './tokens/token-owners.repository.js';
import { TokenResolver } from './tokens/token-resolver.service.js';

/** Finds out which user makes a call. Routes for users' own accounts are in `account/`. */
@Module({
  imports: [
    PassportModule,
    TypeOrmModule.forFeature([Session, ApiKey]),
    JwtModule.register({ signOptions: { algorithm: 'HS256' } }),
  ],
  providers: [
    SessionTokens,
    TokenChanges,
    TokenOwners,
    TokenResolver,
    KeyUses,
    JwtStrategy,
    { provide: APP_GUARD, useClass: BearerGuard },
  ],
  exports: [SessionTokens, TokenChanges, TokenResolver, TypeOrmModule],
})
export class AuthModule {}
