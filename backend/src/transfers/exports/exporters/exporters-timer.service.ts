import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { LOGGER } from '../../../platform/common/logger.js';
import { OutageLog } from '../../../platform/common/outage-log.js';
import { isDatabaseUnavailable } from '../../../platform/common/postgres-errors.js';
import { DueWork } from '../../../platform/database/due-work.service.js';
import { JobsService } from '../../../platform/jobs/jobs.service.js';
import { databaseNow } from '../../../runs/scheduler/schedules.repository.js';
import { Exporter } from './exporter.entity.js';
import { findDue, IS_ANY_DUE, postpone, repairTimes } from './exporters.repository.js';
import { ExportersService, lockEnabled, plan } from './exporters.service.js';

const TICK_MS = 5_000;
/** Number of exporters that one tick handles. */
const ROUND = 100;

/** Starts exports of exporters at their times. Several backends may do this at the same time. */
@Injectable()
export class ExportersTimer implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  readonly #outages: OutageLog;
  #ticking: Promise<void> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly exporters: ExportersService,
    private readonly jobs: JobsService,
    private readonly dueWork: DueWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'starting exports failed; retrying');
  }

  onModuleInit(): void {
    this.dueWork.add('exporters', { everyMs: TICK_MS, find: () => IS_ANY_DUE, run: () => this.tick() });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.tick();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#ticking;
  }

  tick(): Promise<void> {
    this.#ticking ??= this.#tick().finally(() => {
      this.#ticking = undefined;
    });
    return this.#ticking;
  }

  async #tick(): Promise<void> {
    try {
      await repairTimes(this.dataSource);
      for (const id of await findDue(this.dataSource, ROUND)) await this.#try(id);
      this.jobs.flush();
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  /** Handles an exporter in a transaction of its own, so that a failure concerns no other exporter. */
  async #try(id: string): Promise<void> {
    try {
      await this.dataSource.transaction(async transaction => {
        const exporter = await lockEnabled(transaction, id);
        if (exporter) await this.#startDue(transaction, exporter);
      });
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.logger.error({ err: error, exporter: id }, 'starting the export of an exporter failed; will retry');
      await postpone(this.dataSource, id);
    }
  }

  /** Starts the export of an exporter that is due. If it cannot start, the next time may be better. */
  async #startDue(transaction: EntityManager, exporter: Exporter): Promise<void> {
    const now = await databaseNow(transaction);
    if (exporter.next_at && exporter.next_at <= now) await this.exporters.tryStart(transaction, exporter, now);
    await transaction.update(Exporter, { id: exporter.id }, plan(exporter, now));
  }
}
