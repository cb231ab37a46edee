import { Module } from '@nestjs/common';
import { IdempotencyKeysService } from './idempotency-keys.service.js';

@Module({ providers: [IdempotencyKeysService] })
export class IdempotencyModule {}
