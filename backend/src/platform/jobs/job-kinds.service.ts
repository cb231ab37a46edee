import { Injectable } from '@nestjs/common';
import type { ApiErrorCode } from '@trawl/contracts';
import type { EntityManager } from 'typeorm';
import type { JobProgress } from './job.entity.js';

/** Jobs of accounts and of the platform do not take each other's slots. */
export type Pool = 'accounts' | 'platform';

/** Number of jobs of one account that run at the same time. A slot of a backend stays free for others. */
const MAX_RUNNING_PER_ACCOUNT = 1;

/** The job, as its code sees it. */
export interface TakenJob<Params> {
  id: string;
  owner_id: string;
  params: Params;
  /** 1 for the first backend that takes the job. If it is higher, remove what the earlier attempt left behind. */
  attempt: number;
}

export interface JobContext {
  /**
   * Aborts when the job is cancelled or deleted, at its deadline, when the backend stops, or when another backend may
   * have taken the job. The code must then stop soon.
   */
  signal: AbortSignal;
  /** Saves counts for the owner to see, within a few seconds. */
  progress: (counts: JobProgress) => void;
}

export type JobEnd<Result = unknown> =
  | { state: 'done'; result: Result }
  | { state: 'failed'; error_code: ApiErrorCode; error_message: string }
  | { state: 'cancelled' };

/** The code of one kind of job that an account owns, and sees. */
export interface JobKind<Params, Result> {
  /** The time that one attempt may take. Then the job fails. */
  readonly deadlineMs: number;
  /**
   * Does the work. If the backend is killed meanwhile, another one calls it again, so it must be able to start over.
   * @returns a value that is stored as JSON in `result`.
   * @throws {ApiError} with the reason that the owner sees. After an outage of the platform's PostgreSQL, another attempt
   * follows when the lease ends. For an outage of another database, wait with `outages.ts`. For any other error the owner sees `internal_error`.
   */
  run(job: TakenJob<Params>, context: JobContext): Promise<Result>;
  /**
   * Writes to the database in the transaction that ends the job. So both happen, or neither. A job that its owner
   * cancels while it is queued ends without it.
   */
  onEnd?(transaction: EntityManager, job: TakenJob<Params>, end: JobEnd<Result>): Promise<void>;
}

/** The code of one kind of job of the platform. No account sees it, and its row is deleted when it is done. */
export interface PlatformKind<Params> {
  /** The time that one attempt may take. */
  readonly deadlineMs: number;
  /** Number of jobs of the same lane that run at the same time, on all backends together. */
  readonly perLane: number;
  /** How long to wait after so many failed attempts, in seconds. The job is retried until it succeeds. */
  retrySeconds(attempts: number): number;
  /** Does the work. It must be able to start over. */
  run(job: Omit<TakenJob<Params>, 'owner_id'>, context: JobContext): Promise<void>;
}

/** A kind of job as the runner needs it. */
export interface RegisteredKind extends JobKind<unknown, unknown> {
  readonly perLane: number;
  /** Undefined for a kind that accounts own: a failure is its end. */
  readonly retrySeconds?: (attempts: number) => number;
}

/** The kinds of jobs that this backend can run. Each kind registers itself when its module starts. */
@Injectable()
export class JobKinds {
  readonly #kinds = new Map<string, RegisteredKind>();

  /** Registers a kind of job that accounts own. */
  register<Params, Result>(name: string, kind: JobKind<Params, Result>): void {
    const { deadlineMs } = kind;
    this.#add(name, {
      deadlineMs,
      perLane: MAX_RUNNING_PER_ACCOUNT,
      run: (job, context) => kind.run(job as TakenJob<Params>, context),
      onEnd: async (transaction, job, end) => kind.onEnd?.(transaction, job as TakenJob<Params>, end as JobEnd<Result>),
    });
  }

  /** Registers a kind of job of the platform. */
  registerPlatform<Params>(name: string, kind: PlatformKind<Params>): void {
    const { deadlineMs, perLane } = kind;
    this.#add(name, {
      deadlineMs,
      perLane,
      retrySeconds: attempts => kind.retrySeconds(attempts),
      run: (job, context) => kind.run(job as TakenJob<Params>, context),
    });
  }

  #add(name: string, kind: RegisteredKind): void {
    if (this.#kinds.has(name)) throw new Error(`The kind of job ${name} is registered twice.`);
    this.#kinds.set(name, kind);
  }

  /** Returns the kinds that accounts own, or those of the platform, by name. */
  of(pool: Pool): Map<string, RegisteredKind> {
    const isOfPool = ({ retrySeconds }: RegisteredKind) => (retrySeconds !== undefined) === (pool === 'platform');
    return new Map([...this.#kinds].filter(([, kind]) => isOfPool(kind)));
  }

  get(name: string): RegisteredKind {
    const kind = this.#kinds.get(name);
    if (!kind) throw new Error(`No kind of job is registered as ${name}.`);
    return kind;
  }
}
