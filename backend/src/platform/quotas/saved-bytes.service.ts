import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { LOGGER } from '../common/logger.js';
import { DueWork } from '../database/due-work.service.js';

const WRITE_INTERVAL_MS = 5_000;

/**
 * Counts outputs of runs towards the quota `echo_bytes_per_day`. Writes in the background, so that the end of a run does
 * not lock its account. If the backend crashes, it loses the counts of a few seconds.
 */
@Injectable()
export class SavedBytes implements OnModuleInit, OnModuleDestroy {
  #unwritten = new Map<string, number>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly dueWork: DueWork,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.dueWork.add('saved bytes', { everyMs: WRITE_INTERVAL_MS, find: () => 'true', run: () => this.write() });
  }

  add(ownerId: string, bytes: number): void {
    if (bytes > 0) this.#unwritten.set(ownerId, (this.#unwritten.get(ownerId) ?? 0) + bytes);
  }

  async write(): Promise<void> {
    const counts = this.#unwritten;
    this.#unwritten = new Map();
    // One statement for each account, so that it holds the lock of one row only.
    for (const [ownerId, bytes] of counts) {
      try {
        await this.dataSource.query('SELECT count_saved_bytes($1, $2, $3)', [
          ownerId,
          bytes,
          this.config.quotas.echo_bytes_per_day,
        ]);
      } catch (error) {
        this.add(ownerId, bytes);
        this.logger.warn({ err: error, owner: ownerId }, 'failed to count saved bytes; will retry');
      }
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.write();
  }
}
