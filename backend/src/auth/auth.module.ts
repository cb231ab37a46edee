import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { UsersModule } from '../users/users.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { ApiKey } from './api-key.entity.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysService } from './api-keys.service.js';
import { AuthController } from './auth.controller.js';
import { BearerGuard } from './auth.guard.js';
import { AuthService } from './auth.service.js';
import { CallerChanges } from './caller-changes.service.js';
import { CallersService } from './callers.service.js';
import { JwtStrategy } from './jwt.strategy.js';
import { KeyUses } from './key-uses.service.js';
import { LoginLimits } from './login-limits.service.js';
import { Session } from './session.entity.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsService, tokenKey } from './sessions.service.js';

@Module({
  imports: [
    UsersModule,
    WorkersModule,
    PassportModule,
    TypeOrmModule.forFeature([Session, ApiKey]),
    JwtModule.registerAsync({
      inject: [CONFIG],
      useFactory: (config: Config) => ({ secret: tokenKey(config), signOptions: { algorithm: 'HS256' } }),
    }),
    ThrottlerModule.forRoot([{ ttl: 60_000, limit: 20 }]),
  ],
  controllers: [AuthController, ApiKeysController, SessionsController],
  providers: [
    AuthService,
    SessionsService,
    ApiKeysService,
    CallerChanges,
    CallersService,
    KeyUses,
    LoginLimits,
    JwtStrategy,
    { provide: APP_GUARD, useClass: BearerGuard },
  ],
  exports: [SessionsService, CallersService, CallerChanges],
})
export class AuthModule {}
