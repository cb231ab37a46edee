import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { type LeaseTimes, leaseTimes } from '@trawl/contracts';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../common/config.js';
import { ApiError } from '../common/errors.js';
import { withLogFields } from '../common/log-context.js';
import { LOGGER } from '../common/logger.js';
import { OutageLog } from '../common/outage-log.js';
import { isDatabaseUnavailable } from '../common/postgres-errors.js';
import { Cleanups } from '../database/cleanups.service.js';
import { DueWork } from '../database/due-work.service.js';
import type { JobProgress } from './job.entity.js';
import { type JobContext, type JobEnd, type JobKind, JobKinds } from './job-kinds.service.js';
import { findOpenJobs, JobsRepository, type TakenRow } from './jobs.repository.js';

/** Jobs share the processor with the API, so a backend runs only a few at a time. */
const MAX_RUNNING = 2;
/** Number of jobs of one account that run at the same time. A slot stays free for others. */
const MAX_RUNNING_PER_ACCOUNT = MAX_RUNNING - 1;
const POLL_MS = 2_000;
/** Users watch the progress, which each renewal of the lease saves. */
const PROGRESS_MS = 1_000;
const STOP_TIMEOUT_MS = 3_000;

type AbortReason = 'cancelled' | 'deadline' | 'lost' | 'stopping';

interface RunningJob {
  job: TakenRow;
  progress: JobProgress;
  abort: AbortController;
  /** When PostgreSQL last confirmed the lease, by the process's own clock. */
  heldAt: number;
  ended: Promise<void>;
}

/** Takes jobs, runs their code and renews their leases. Several backends may do this at the same time. */
@Injectable()
export class JobRunnerService implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  readonly #running = new Map<string, RunningJob>();
  readonly #lease: LeaseTimes;
  readonly #outages: OutageLog;
  #taking: Promise<void> | undefined;
  /** Number of `flush` calls. If it rises while jobs are being taken, there may be another one to take. */
  #flushes = 0;
  #isStopping = false;

  constructor(
    private readonly jobs: JobsRepository,
    private readonly kinds: JobKinds,
    private readonly dueWork: DueWork,
    private readonly cleanups: Cleanups,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#lease = leaseTimes(config.leaseMs);
    this.#outages = new OutageLog(logger, 'reading jobs failed; retrying');
  }

  onModuleInit(): void {
    this.cleanups.add('jobs', 'hourly', () => this.deleteOld());
    this.dueWork.add('jobs', {
      everyMs: POLL_MS,
      find: findOpenJobs,
      values: () => [this.#lease.leaseMs],
      run: async () => this.flush(),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.deleteOld();
    this.flush();
  }

  /** Takes queued jobs in the background. Call it after the commit that adds a job. */
  flush(): void {
    if (this.#isStopping) return;
    this.#flushes += 1;
    this.#taking ??= this.#take().finally(() => {
      this.#taking = undefined;
    });
  }

  /** Aborts a job if it runs on this backend. Other backends read `cancel_requested` when they renew its lease. */
  cancel(id: string): void {
    this.#abort(this.#running.get(id), 'cancelled');
  }

  async onModuleDestroy(): Promise<void> {
    this.#isStopping = true;
    await this.#taking;
    for (const running of this.#running.values()) this.#abort(running, 'stopping');
    const ends = [...this.#running.values()].map(({ ended }) => ended);
    await Promise.race([Promise.all(ends), delay(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  }

  deleteOld(): Promise<void> {
    return this.jobs.deleteOld(this.config.jobDays);
  }

  async #take(): Promise<void> {
    try {
      while (
        await this.jobs.endAbandoned(this.kinds.names, this.#lease.leaseMs, (transaction, job, end) =>
          this.kinds.get(job.kind).onEnd?.(transaction, job, end),
        )
      ) {}
      for (let seen = -1; seen !== this.#flushes; ) {
        seen = this.#flushes;
        while (!this.#isStopping && this.#running.size < MAX_RUNNING) {
          const job = await this.jobs.take(this.kinds.names, this.#lease.leaseMs, MAX_RUNNING_PER_ACCOUNT);
          if (!job) break;
          this.#start(job);
        }
      }
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  #start(job: TakenRow): void {
    const running: RunningJob = {
      job,
      progress: {},
      abort: new AbortController(),
      heldAt: performance.now(),
      ended: Promise.resolve(),
    };
    this.#running.set(job.id, running);
    const renewing = setInterval(() => void this.#renew(running), Math.min(this.#lease.heartbeatMs, PROGRESS_MS));
    // Timers are monotonic, so a jump of the clock does not move the deadline.
    const deadline = setTimeout(() => this.#abort(running, 'deadline'), this.kinds.get(job.kind).deadlineMs);
    running.ended = withLogFields({ job: job.id }, () => this.#run(running))
      .catch(error => this.#outages.failure(error, { job: job.id }))
      .finally(() => {
        clearInterval(renewing);
        clearTimeout(deadline);
        if (this.#running.get(job.id) === running) this.#running.delete(job.id);
        this.flush();
      });
  }

  async #run(running: RunningJob): Promise<void> {
    const { job } = running;
    const kind = this.kinds.get(job.kind);
    const { signal } = running.abort;
    const context = {
      signal,
      progress: (counts: JobProgress) => {
        running.progress = counts;
      },
    };
    let end: JobEnd;
    try {
      end = { state: 'done', result: await this.#untilDeadline(kind, job, context) };
    } catch (error) {
      const reason: AbortReason | undefined = signal.aborted ? signal.reason : undefined;
      if (reason === 'lost') return;
      if (reason === 'stopping') return this.jobs.release(job);
      // The job did not fail. A backend takes it again when the lease ends.
      if (reason === undefined && isOutage(error)) return this.#outages.failure(error, { job: job.id });
      end =
        reason === 'cancelled'
          ? { state: 'cancelled' }
          : this.#failure(job, reason === 'deadline' ? tooLong(kind) : error);
    }
    await this.jobs.end(job, running.progress, end, transaction => kind.onEnd?.(transaction, job, end));
    this.logger.info({ job: job.id, kind: job.kind, owner: job.owner_id, state: end.state }, 'job ended');
  }

  /** Runs the job's code. Some time after the deadline it gives up waiting, so that stuck code cannot keep the slot. */
  async #untilDeadline(kind: JobKind<unknown, unknown>, job: TakenRow, context: JobContext): Promise<unknown> {
    const over = new AbortController();
    const stuck = delay(kind.deadlineMs + this.#lease.leaseMs, undefined, { signal: over.signal, ref: false }).then(
      () => {
        this.logger.error({ job: job.id, kind: job.kind }, 'job did not stop at its deadline');
        throw tooLong(kind);
      },
    );
    try {
      return await Promise.race([kind.run(job, context), stuck]);
    } finally {
      over.abort();
    }
  }

  #failure(job: TakenRow, error: unknown): JobEnd {
    if (error instanceof ApiError) return { state: 'failed', error_code: error.code, error_message: error.message };
    this.logger.error({ err: error, job: job.id, kind: job.kind }, 'job failed');
    return {
      state: 'failed',
      error_code: 'internal_error',
      error_message: `Trawl could not finish this job because of an error of its own. The server’s log has the details under ${job.id}.`,
    };
  }

  async #renew(running: RunningJob): Promise<void> {
    // Without an answer from PostgreSQL, the lease may end soon, and another backend may take the job.
    if (performance.now() - running.heldAt > this.#lease.silenceMs) this.#abort(running, 'lost');
    const sentAt = performance.now();
    try {
      const outcome = await this.jobs.renew(running.job, running.progress, this.#lease.leaseMs);
      if (outcome === 'held') running.heldAt = sentAt;
      else this.#abort(running, outcome);
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error, { job: running.job.id });
    }
  }

  #abort(running: RunningJob | undefined, reason: AbortReason): void {
    running?.abort.abort(reason);
  }
}

/** Returns whether the platform's PostgreSQL was down. Errors of other databases reach this file as `ApiError`. */
const isOutage = (error: unknown): boolean => !(error instanceof ApiError) && isDatabaseUnavailable(error);

const tooLong = ({ deadlineMs }: JobKind<unknown, unknown>): ApiError =>
  new ApiError(
    'service_unavailable',
    `This job took longer than ${Math.round(deadlineMs / 60_000)} minutes, so Trawl ended it. Try again with less data.`,
  );
