import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { IdempotencyKeysService } from './idempotency-keys.service.js';

@Module({ imports: [AuthModule], providers: [IdempotencyKeysService], exports: [IdempotencyKeysService] })
export class IdempotencyModule {}
