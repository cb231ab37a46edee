import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { BACKEND_ID } from '../common/config.js';
import { LOGGER } from '../common/logger.js';
import { OutageLog } from '../common/outage-log.js';

const BEAT_MS = 5_000;

/**
 * Registers this backend in the table `backends` while it runs. A row that was not renewed for 15 s does not count; the
 * SQL function `other_backends` decides that, and the trigger on `live_runs` sends nothing if there are no others.
 */
@Injectable()
export class Backends implements OnModuleInit, OnModuleDestroy {
  readonly #outages: OutageLog;
  #hasOthers = false;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(BACKEND_ID) private readonly id: string,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'registering this backend failed; retrying every 5 s');
  }

  /** True if other backends used this database a few seconds ago. */
  get hasOthers(): boolean {
    return this.#hasOthers;
  }

  async onModuleInit(): Promise<void> {
    await this.#register();
  }

  async onModuleDestroy(): Promise<void> {
    await this.dataSource.query('DELETE FROM backends WHERE id = $1', [this.id]).catch(() => undefined);
  }

  @Interval(BEAT_MS)
  async beat(): Promise<void> {
    try {
      await this.#register();
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  async #register(): Promise<void> {
    const [row] = await this.dataSource.query<{ has_others: boolean }[]>(
      `WITH gone AS (DELETE FROM backends WHERE seen_at < now() - interval '1 hour'),
       own AS (
         INSERT INTO backends (id, seen_at) VALUES ($1, now()) ON CONFLICT (id) DO UPDATE SET seen_at = now())
       SELECT other_backends($1) AS has_others`,
      [this.id],
    );
    this.#hasOthers = row?.has_others ?? false;
  }
}
