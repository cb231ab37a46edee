import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../common/config.js';
import { ApiError } from '../../common/errors.js';
import { LOGGER } from '../../common/logger.js';
import { OutageLog } from '../../common/outage-log.js';
import { isDatabaseUnavailable } from '../../common/postgres-errors.js';
import { Cleanups } from '../../database/cleanups.service.js';
import { DueWork } from '../../database/due-work.service.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { databaseNow } from '../../scheduler/schedules.repository.js';
import { Exporter } from './exporter.entity.js';
import {
  deleteOldRuns,
  deleteRun,
  deleteRunsOf,
  findAfterRuns,
  findDue,
  findRuns,
  IS_ANY_DUE,
  postpone,
  postponeRuns,
  repairTimes,
} from './exporters.repository.js';
import { ExportersService, lockEnabled, plan } from './exporters.service.js';

const TICK_MS = 5_000;
/** Number of exporters that one tick handles, of each kind. */
const ROUND = 100;
/** Number of runs of an exporter that one tick handles. */
const RUNS = 20;

/** Starts exports of exporters at their times and after runs. Several backends may do this at the same time. */
@Injectable()
export class ExportersTimer implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  readonly #outages: OutageLog;
  #ticking: Promise<void> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly exporters: ExportersService,
    private readonly jobs: JobsService,
    private readonly dueWork: DueWork,
    private readonly cleanups: Cleanups,
    @Inject(CONFIG) private readonly config: Pick<Config, 'jobDays'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'starting exports failed; retrying');
  }

  onModuleInit(): void {
    this.cleanups.add('runs of exporters', 'hourly', () => this.deleteOld());
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

  /** Forgets runs that an exporter could not export for a long time, and those of deleted exporters. */
  deleteOld(): Promise<void> {
    return deleteOldRuns(this.dataSource, this.config.jobDays);
  }

  async #tick(): Promise<void> {
    try {
      await repairTimes(this.dataSource);
      for (const id of await findDue(this.dataSource, ROUND)) await this.#try(id, this.#startDue, postpone);
      for (const id of await findAfterRuns(this.dataSource, ROUND)) {
        await this.#try(id, this.#startAfterRuns, postponeRuns);
      }
      this.jobs.flush();
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  /** Handles an exporter in a transaction of its own, so that a failure concerns no other exporter. */
  async #try(
    id: string,
    work: (transaction: EntityManager, exporter: Exporter) => Promise<void>,
    postponeIt: typeof postpone,
  ): Promise<void> {
    try {
      await this.dataSource.transaction(async transaction => {
        const exporter = await lockEnabled(transaction, id);
        if (exporter) await work.call(this, transaction, exporter);
      });
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.logger.error({ err: error, exporter: id }, 'starting the export of an exporter failed; will retry');
      await postponeIt(this.dataSource, id);
    }
  }

  /** Starts the export of an exporter that is due. If it cannot start, the next time may be better. */
  async #startDue(transaction: EntityManager, exporter: Exporter): Promise<void> {
    const now = await databaseNow(transaction);
    if (exporter.next_at && exporter.next_at <= now) await this.#start(transaction, exporter, now);
    await transaction.update(Exporter, { id: exporter.id }, plan(exporter, now));
  }

  /** Starts an export for each run with the source `run`, otherwise one for all of them. */
  async #startAfterRuns(transaction: EntityManager, exporter: Exporter): Promise<void> {
    const now = await databaseNow(transaction);
    if (exporter.params.source.source !== 'run') {
      if (await this.#start(transaction, exporter, now)) await deleteRunsOf(transaction, exporter.id);
      else await postponeRuns(transaction, exporter.id);
      return;
    }
    for (const { id, execution_id } of await findRuns(transaction, exporter.id, RUNS)) {
      if (await this.#start(transaction, exporter, now, execution_id)) await deleteRun(transaction, id);
      else return postponeRuns(transaction, exporter.id);
    }
  }

  /** @returns false if the account has too many open exports, or if one is open that would have the same documents. */
  async #start(transaction: EntityManager, exporter: Exporter, now: Date, executionId?: string): Promise<boolean> {
    try {
      return (await this.exporters.start(transaction, exporter, now, executionId)) !== null;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }
}
