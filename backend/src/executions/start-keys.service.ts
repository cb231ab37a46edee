import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { stringify } from 'safe-stable-stringify';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { ApiError } from '../common/errors.js';
import { SecretBox } from '../common/secret-box.js';
import { claimStartKey } from './start-key.js';

/** Idempotency keys of starts; they hold for a day. */
@Injectable()
export class StartKeysService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secretBox: SecretBox,
  ) {}

  /**
   * Takes a key for a start on several workers. Each of its runs has a key of its own beside it.
   * @throws {ApiError} 409 `idempotency_key_reused` when it stands for another call.
   */
  async claimForMany(ownerId: string, key: string, asked: object): Promise<void> {
    const request = this.secretBox.digest('start of many', ownerId, stringify(asked) ?? '');
    const first = await claimStartKey(this.dataSource.manager, { ownerId, key, request, executionId: uuidv7() });
    if (first instanceof ApiError) throw first;
  }

  @Cron('23 * * * *')
  async removeOld(): Promise<void> {
    await this.dataSource.query(`DELETE FROM start_keys WHERE created_at < now() - interval '1 day'`);
  }
}
