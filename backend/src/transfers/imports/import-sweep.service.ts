import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { ApiError } from '../../platform/common/errors.js';
import { LOGGER } from '../../platform/common/logger.js';
import { Cleanups } from '../../platform/database/cleanups.service.js';
import { DueWork } from '../../platform/database/due-work.service.js';
import type { Job } from '../../platform/jobs/job.entity.js';
import { JobsService } from '../../platform/jobs/jobs.service.js';
import { IMPORT_KIND, type ImportParams } from './import-params.js';
import { ImportsRepository, type Unfinished } from './imports.repository.js';
import { StagingService } from './moving/staging.service.js';

const SWEEP_MS = 60_000;
/** For how long a move that fails is continued, and how often at least: a jump of the clock alone does not end it. */
const MAX_MOVE_MS = 24 * 60 * 60 * 1_000;
const MIN_CONTINUED = 10;
/** The pause before a try is this share of the time that the move has taken so far. */
const PAUSE_SHARE = 1 / 4;

/** Finishes what ended jobs have left behind, and deletes old imports. */
@Injectable()
export class ImportSweepService implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly imports: ImportsRepository,
    private readonly jobs: JobsService,
    private readonly staging: StagingService,
    private readonly dueWork: DueWork,
    private readonly cleanups: Cleanups,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.cleanups.add('imports', 'hourly', () => this.deleteOld());
    this.dueWork.add('ends of imports', { everyMs: SWEEP_MS, find: () => 'true', run: () => this.sweep() });
  }

  /** Drops staging collections that are of no more use, and continues moves whose job has ended too early. */
  async sweep(): Promise<void> {
    await this.#attempt(() => this.imports.deleteInterrupted());
    await this.#attempt(async () => {
      for (const left of await this.imports.unfinished()) await this.#attempt(() => this.#finish(left));
    });
    await this.#attempt(async () => {
      for (const database of await this.imports.recentDatabases()) {
        await this.#attempt(() => this.#dropOrphans(database));
      }
    });
  }

  deleteOld(): Promise<void> {
    return this.imports.deleteOld(this.config.jobDays);
  }

  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.logger.warn({ err: error }, 'clean-up of imports failed; will retry');
    }
  }

  async #dropOrphans({ owner_id, db_id }: { owner_id: string; db_id: string }): Promise<void> {
    try {
      await this.staging.dropOrphans(owner_id, db_id);
    } catch (error) {
      // The owner may have deleted the database.
      if (!(error instanceof ApiError && error.code === 'not_found')) throw error;
    }
  }

  async #finish(left: Unfinished): Promise<void> {
    const { move, job_id } = left;
    const job = move && job_id ? await this.jobs.find(IMPORT_KIND, job_id) : null;
    if (!move || !job?.ended_at) return this.staging.drop(left);
    const [since, ended] = [Date.parse(move.since), job.ended_at.getTime()];
    const now = (await this.imports.now()).getTime();
    const isEarly = (move.continued ?? 0) < MIN_CONTINUED;
    if (now - since > MAX_MOVE_MS && !isEarly) await this.#giveUp(left);
    else if (isEarly || now - ended + SWEEP_MS >= (ended - since) * PAUSE_SHARE) await this.#continue(left, job);
  }

  async #giveUp(left: Unfinished): Promise<void> {
    if (left.staging === null) await this.imports.forgetMove(left.id);
    else await this.staging.drop(left);
  }

  async #continue({ id, owner_id }: Unfinished, ended: Job): Promise<void> {
    const params = ended.params as ImportParams;
    const jobId = uuidv7();
    await this.dataSource.transaction(async transaction => {
      const row = await this.imports.lock(transaction, owner_id, id);
      // Another backend was faster.
      if (row?.job_id !== ended.id) return;
      await this.jobs.addIn(transaction, { id: jobId, ownerId: owner_id, kind: IMPORT_KIND, params });
      await this.imports.setJob(transaction, id, jobId, params);
      await this.imports.countContinued(transaction, id);
    });
    this.jobs.flush();
  }
}
