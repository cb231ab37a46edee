import { Injectable, type OnModuleInit } from '@nestjs/common';
import { stringify } from 'safe-stable-stringify';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { ApiError } from '../../../platform/common/errors.js';
import { SecretBox } from '../../../platform/common/secret-box.service.js';
import { Cleanups } from '../../../platform/database/cleanups.service.js';
import { claimStartKey, deleteExpiredStartKeys } from './start-keys.repository.js';

/** Idempotency keys of starts. A key is valid for a day. */
@Injectable()
export class StartKeysService implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secretBox: SecretBox,
    private readonly cleanups: Cleanups,
  ) {}

  onModuleInit(): void {
    this.cleanups.add('keys of starts', 'hourly', () => this.deleteExpired());
  }

  /**
   * Claims a key for a start on several workers. Each of its runs also claims a key of its own.
   * @throws {ApiError} 409 `idempotency_key_reused` if the key belongs to a different call.
   */
  async claimForMany(ownerId: string, key: string, call: object): Promise<void> {
    const requests = this.secretBox.digests('start of many', ownerId, stringify(call) ?? '');
    const first = await claimStartKey(this.dataSource.manager, { ownerId, key, requests, executionId: uuidv7() });
    if (first instanceof ApiError) throw first;
  }

  async deleteExpired(): Promise<void> {
    await deleteExpiredStartKeys(this.dataSource.manager);
  }
}
