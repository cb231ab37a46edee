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
import type { Subscription } from 'rxjs';
import { BACKEND_ID, CONFIG, type Config } from '../common/config.js';
import { ApiError } from '../common/errors.js';
import { withLogFields } from '../common/log-context.js';
import { LOGGER } from '../common/logger.js';
import { OutageLog } from '../common/outage-log.js';
import { isDatabaseUnavailable } from '../common/postgres-errors.js';
import { Cleanups } from '../database/cleanups.service.js';
import { DueWork } from '../database/due-work.service.js';
import { PostgresNotices } from '../database/postgres-notices.service.js';
import type { JobProgress } from './job.entity.js';
import { type JobContext, type JobEnd, JobKinds, type Pool, type RegisteredKind } from './job-kinds.service.js';
import { findOpenJobs, JobsRepository, type TakenRow } from './jobs.repository.js';
import { Postponed } from './platform-jobs.js';

/** Jobs share the processor with the API, so a backend runs only a few at a time. Those of the platform mostly wait. */
const MAX_RUNNING: Record<Pool, number> = { accounts: 2, platform: 4 };
const POLL_MS = 2_000;
/** Users watch the progress, which each renewal of the lease saves. */
const PROGRESS_MS = 1_000;
const STOP_TIMEOUT_MS = 3_000;

type AbortReason = 'cancelled' | 'deadline' | 'lost' | 'stopping';

interface RunningJob {
  pool: Pool;
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
  #subscription?: Subscription;

  constructor(
    private readonly jobs: JobsRepository,
    private readonly kinds: JobKinds,
    private readonly dueWork: DueWork,
    private readonly notices: PostgresNotices,
    @Inject(BACKEND_ID) private readonly backendId: string,
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
    // Another backend has added a job. A notification may be lost, so the look finds it too.
    this.#subscription = this.notices.on('trawl_jobs').subscribe(origin => {
      if (origin !== this.backendId) this.flush();
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
    this.#subscription?.unsubscribe();
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
      const accounts = this.kinds.of('accounts');
      while (
        await this.jobs.endAbandoned([...accounts.keys()], this.#lease.leaseMs, (transaction, job, end) =>
          this.kinds.get(job.kind).onEnd?.(transaction, job, end),
        )
      ) {}
      for (let seen = -1; seen !== this.#flushes; ) {
        seen = this.#flushes;
        await this.#fill('accounts', () => this.jobs.take(accounts, this.#lease.leaseMs));
        const platform = this.kinds.of('platform');
        await this.#fill('platform', () => this.jobs.takePlatform(platform, this.#lease.leaseMs));
      }
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  /** Starts jobs until a pool has no free slot, or no job is left. */
  async #fill(pool: Pool, take: () => Promise<TakenRow | undefined>): Promise<void> {
    const hasRoom = () => [...this.#running.values()].filter(one => one.pool === pool).length < MAX_RUNNING[pool];
    while (!this.#isStopping && hasRoom()) {
      const job = await take();
      if (!job) return;
      this.#start(pool, job);
    }
  }

  #start(pool: Pool, job: TakenRow): void {
    const running: RunningJob = {
      pool,
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
      if (error instanceof Postponed) return this.jobs.retryPlatform(job, error.seconds);
      // The job did not fail. A backend takes it again when the lease ends.
      if (reason === undefined && isOutage(error)) return this.#outages.failure(error, { job: job.id });
      end =
        reason === 'cancelled'
          ? { state: 'cancelled' }
          : this.#failure(job, reason === 'deadline' ? tooLong(kind) : error);
    }
    if (kind.retrySeconds) return this.#endPlatform(job, kind.retrySeconds, end);
    await this.jobs.end(job, running.progress, end, transaction => kind.onEnd?.(transaction, job, end));
    this.logger.info({ job: job.id, kind: job.kind, owner: job.owner_id, state: end.state }, 'job ended');
  }

  /** Deletes a job of the platform that is done; plans the next attempt of one that failed. */
  async #endPlatform(job: TakenRow, retrySeconds: (attempts: number) => number, end: JobEnd): Promise<void> {
    if (end.state === 'done') return this.jobs.finishPlatform(job);
    await this.jobs.retryPlatform(job, retrySeconds(job.attempt));
  }

  /** Runs the job's code. Some time after the deadline it gives up waiting, so that stuck code cannot keep the slot. */
  async #untilDeadline(kind: RegisteredKind, job: TakenRow, context: JobContext): Promise<unknown> {
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

const tooLong = ({ deadlineMs }: RegisteredKind): ApiError =>
  new ApiError(
    'service_unavailable',
    `This job took longer than ${Math.round(deadlineMs / 60_000)} minutes, so Trawl ended it. Try again with less data.`,
  );
