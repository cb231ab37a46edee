import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { timeOfId } from '../../../platform/common/sql/first-id-at.js';
import { JobKinds, type TakenJob } from '../../../platform/jobs/job-kinds.service.js';
import { JobsService } from '../../../platform/jobs/jobs.service.js';
import { endPlatformJob, Postponed, postponeLane } from '../../../platform/jobs/platform-jobs.js';
import { VerdictsRepository } from '../../../runs/executions/verdicts/verdicts.repository.js';
import { databaseNow } from '../../../runs/scheduler/schedules.repository.js';
import { SOURCES_OF_RUNS } from '../sources/export-sources.service.js';
import { AWAIT_SECONDS, deleteExportedRuns, exportsIn } from './exporters.repository.js';
import { AFTER_RUN, ExportersService, findExporter, lockEnabled } from './exporters.service.js';

const RETRY_SECONDS = 60;
const DEADLINE_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The run that has ended, and an exporter of its skript. A trigger on `live_runs` adds the job, or one on
 * `run_merges` for an exporter of changes. */
interface AfterRun {
  exporter_id: string;
  execution_id: string;
}
type Job = Pick<TakenJob<AfterRun>, 'id' | 'attempt' | 'params'>;

/** Starts exports after runs. */
@Injectable()
export class ExportsAfterRuns implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly kinds: JobKinds,
    private readonly exporters: ExportersService,
    private readonly jobs: JobsService,
    private readonly verdicts: VerdictsRepository,
    @Inject(CONFIG) private readonly config: Pick<Config, 'jobDays'>,
  ) {}

  onModuleInit(): void {
    this.kinds.registerPlatform<AfterRun>(AFTER_RUN, {
      deadlineMs: DEADLINE_MS,
      perLane: 1,
      retrySeconds: () => RETRY_SECONDS,
      run: job => this.#start(job),
    });
  }

  /** Starts the export and ends the job in one transaction, so that a killed backend starts none twice. */
  async #start(job: Job): Promise<void> {
    const { exporter_id } = job.params;
    const waitSeconds = await this.dataSource.transaction(async transaction => {
      const now = await databaseNow(transaction);
      const exporter = await lockEnabled(transaction, exporter_id);
      // Without the lock, the exporter is being changed or was deleted; while it is disabled, it must not export.
      if (!exporter) return (await this.#isObsolete(transaction, job, now)) ? 0 : AWAIT_SECONDS;
      const seconds = await exportsIn(transaction, exporter.owner_id);
      if (seconds > 0) return this.#isOld(job, now) ? 0 : seconds;
      const isOfRun = SOURCES_OF_RUNS.includes(exporter.params.source.source);
      const executionId = isOfRun ? job.params.execution_id : undefined;
      const hold = await this.verdicts.holdOn(job.params.execution_id);
      if (hold === 'unjudged') return AWAIT_SECONDS;
      if (hold === 'broken') {
        // A trigger on `run_profiles` adds the job again when the owner accepts the rows.
        if (!(await endPlatformJob(transaction, job))) throw new Error('Another backend has taken this job.');
        return 0;
      }
      if (!(await this.exporters.tryStart(transaction, exporter, now, executionId)))
        return this.#isOld(job, now) ? 0 : AWAIT_SECONDS;
      if (!(await endPlatformJob(transaction, job))) throw new Error('Another backend has taken this job.');
      if (!isOfRun) await deleteExportedRuns(transaction, AFTER_RUN, exporter_id);
      return 0;
    });
    if (waitSeconds === 0) return this.jobs.flush();
    await postponeLane(this.dataSource, AFTER_RUN, exporter_id, waitSeconds);
    throw new Postponed(waitSeconds);
  }

  async #isObsolete(transaction: EntityManager, job: Job, now: Date): Promise<boolean> {
    return this.#isOld(job, now) || (await findExporter(transaction, job.params.exporter_id)) === null;
  }

  /** Returns whether the run began so long ago that its export is given up. */
  #isOld({ params }: Job, now: Date): boolean {
    return now.getTime() - timeOfId(params.execution_id) > this.config.jobDays * DAY_MS;
  }
}
