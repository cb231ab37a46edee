import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { DataSource } from 'typeorm';

/** Idempotency keys hold for a day. */
@Injectable()
export class StartKeysService {
  constructor(private readonly dataSource: DataSource) {}

  @Cron('23 * * * *')
  async removeOld(): Promise<void> {
    await this.dataSource.query(`DELETE FROM start_keys WHERE created_at < now() - interval '1 day'`);
  }
}
