import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { stringify } from 'safe-stable-stringify';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { SecretBox } from '../common/secret-box.js';
import { keyReused } from '../idempotency/idempotent.js';

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
  async claimForMany(ownerId: string, key: string, body: object): Promise<void> {
    const request = this.secretBox.digest('start of many', ownerId, stringify(body) ?? '');
    const [claimed] = await this.dataSource.query<{ request: Buffer }[]>(
      `INSERT INTO start_keys (owner_id, key, request, execution_id) VALUES ($1, $2, $3, $4)
       ON CONFLICT (owner_id, key) DO UPDATE SET key = start_keys.key RETURNING request`,
      [ownerId, key, request, uuidv7()],
    );
    if (!claimed?.request.equals(request)) throw keyReused();
  }

  @Cron('23 * * * *')
  async removeOld(): Promise<void> {
    await this.dataSource.query(`DELETE FROM start_keys WHERE created_at < now() - interval '1 day'`);
  }
}
