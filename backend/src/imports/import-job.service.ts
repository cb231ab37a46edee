import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiError, notFound } from '../common/errors.js';
import { type JobContext, type JobKind, JobKinds, type TakenJob } from '../jobs/job-kinds.service.js';
import { IMPORT_KIND, type ImportParams, type ImportResult } from './import-params.js';
import { ImportsRepository } from './imports.repository.js';
import { isHandedOver } from './moving/aborts.js';
import { MovingService } from './moving/moving.service.js';
import { StagingService } from './moving/staging.service.js';

/** How often an import that has not begun to move its rows waits for MongoDB: about five minutes in all. */
const MAX_OUTAGES = 14;
const MAX_WAIT_MS = 30_000;

/** Runs imports: stages the rows of the file, and then moves them into the collection. */
@Injectable()
export class ImportJobService implements JobKind<ImportParams, ImportResult>, OnModuleInit {
  constructor(
    private readonly kinds: JobKinds,
    private readonly imports: ImportsRepository,
    private readonly staging: StagingService,
    private readonly moving: MovingService,
  ) {}

  onModuleInit(): void {
    this.kinds.register(IMPORT_KIND, this);
  }

  /** Waits while MongoDB is away. An import that moves its rows waits for as long as it takes. */
  async run(job: TakenJob<ImportParams>, context: JobContext): Promise<ImportResult> {
    for (let outages = 0; ; outages += 1) {
      try {
        return await this.#attempt(job, context);
      } catch (error) {
        const isMoving = Boolean((await this.imports.find(job.params.import_id))?.move);
        const isStopped = isMoving ? isHandedOver(context.signal) : context.signal.aborted;
        if (isStopped || !isOutage(error) || (!isMoving && outages >= MAX_OUTAGES)) {
          await this.#cleanUp(job, context.signal, error);
          throw error;
        }
        await delay(Math.min(MAX_WAIT_MS, 500 * 2 ** outages));
      }
    }
  }

  async onDone(transaction: EntityManager, { params }: TakenJob<ImportParams>): Promise<void> {
    await this.imports.finishImport(transaction, params.import_id);
  }

  async #attempt(job: TakenJob<ImportParams>, context: JobContext): Promise<ImportResult> {
    const { import_id } = job.params;
    const row = await this.imports.find(import_id);
    if (!row) throw notFound('import', import_id);
    if (!row.move && !(await this.staging.stage(job, context))) return { inserted: 0, updated: 0 };
    return this.moving.move(job, context);
  }

  /**
   * Drops the staging collection of an import that failed or was cancelled. If another backend continues the import, that
   * one does it. If Trawl itself failed while it moved rows, `ImportSweepService` tries the move again.
   */
  async #cleanUp({ params }: TakenJob<ImportParams>, signal: AbortSignal, error: unknown): Promise<void> {
    const row = await this.imports.find(params.import_id);
    if (!row || isHandedOver(signal) || (row.move && !(error instanceof ApiError))) return;
    await this.staging.drop(row);
  }
}

const isOutage = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'storage_unavailable' || error.code === 'storage_outcome_unknown');
