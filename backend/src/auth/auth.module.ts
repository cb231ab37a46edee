import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { UsersModule } from '../users/users.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { AuthController } from './auth.controller.js';
import { BearerGuard } from './auth.guard.js';
import { AuthService } from './auth.service.js';
import { JwtStrategy } from './jwt.strategy.js';
import { Session } from './session.entity.js';
import { SessionsService, tokenKey } from './sessions.service.js';

@Module({
  imports: [
    UsersModule,
    WorkersModule,
    PassportModule,
    TypeOrmModule.forFeature([Session]),
    JwtModule.registerAsync({
      inject: [CONFIG],
      useFactory: (config: Config) => ({ secret: tokenKey(config), signOptions: { algorithm: 'HS256' } }),
    }),
    ThrottlerModule.forRoot([{ ttl: 60_000, limit: 20 }]),
  ],
  controllers: [AuthController],
  providers: [AuthService, SessionsService, JwtStrategy, { provide: APP_GUARD, useClass: BearerGuard }],
  exports: [SessionsService],
})
export class AuthModule {}
