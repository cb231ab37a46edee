import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { isLive } from '@trawl/contracts';
import type { Logger } from 'pino';
import { filter, type Subscription } from 'rxjs';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError } from '../../common/errors.js';
import { LOGGER } from '../../common/logger.js';
import { OutageLog } from '../../common/outage-log.js';
import { ExecutionEvents } from '../../executions/records/execution-events.service.js';
import { Exporter } from './exporter.entity.js';
import { findForRun, hasRunExporters, lockDue } from './exporters.repository.js';
import { ExportersService, nextAt } from './exporters.service.js';

const TICK_MS = 5_000;
const ROUND = 100;

/** Starts exports of exporters at their times and after runs. Several backends may do this at the same time. */
@Injectable()
export class ExportersTimer implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #outages: OutageLog;
  #subscription: Subscription | undefined;
  /** Saves a query after each run while no exporter waits for runs. */
  #awaitsRuns = false;
  #ticking: Promise<void> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly exporters: ExportersService,
    private readonly events: ExecutionEvents,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'starting exports failed; retrying');
  }

  async onApplicationBootstrap(): Promise<void> {
    this.#subscription = this.events.changes
      .pipe(filter(({ action }) => this.#awaitsRuns && !isLive(action)))
      .subscribe(({ id }) => void this.afterRun(id));
    await this.tick();
  }

  async onModuleDestroy(): Promise<void> {
    this.#subscription?.unsubscribe();
    await this.#ticking;
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    this.#ticking ??= this.#tick().finally(() => {
      this.#ticking = undefined;
    });
    return this.#ticking;
  }

  /** Starts the exports that follow a run. */
  async afterRun(executionId: string): Promise<void> {
    try {
      for (const id of await findForRun(this.dataSource, executionId)) {
        await this.dataSource.transaction(transaction => this.#startOne(transaction, id, executionId));
      }
    } catch (error) {
      this.#outages.failure(error, { execution: executionId });
    }
  }

  async #tick(): Promise<void> {
    try {
      this.#awaitsRuns = await hasRunExporters(this.dataSource);
      await this.dataSource.transaction(async transaction => {
        for (const id of await lockDue(transaction, ROUND)) await this.#startOne(transaction, id);
      });
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  /** Starts an export, and sets when the next one is due. */
  async #startOne(transaction: EntityManager, id: string, executionId?: string): Promise<void> {
    const exporter = await transaction.findOne(Exporter, { where: { id }, lock: { mode: 'pessimistic_write' } });
    if (!exporter?.enabled) return;
    const ofRun = exporter.params.source.source === 'run';
    let started: string | null = null;
    try {
      started = await this.exporters.start(transaction, exporter, ofRun ? executionId : undefined);
    } catch (error) {
      // The account has too many open exports. The next time may be better.
      if (!(error instanceof ApiError)) throw error;
    }
    // If an export is still running, the documents of this run come with another one right after it.
    const next_at = executionId !== undefined && !ofRun && started === null ? new Date() : nextAt(exporter);
    await transaction.update(Exporter, { id }, { next_at });
  }
}
