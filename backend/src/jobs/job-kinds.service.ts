import { Injectable } from '@nestjs/common';
import type { ApiErrorCode } from '@trawl/contracts';
import type { EntityManager } from 'typeorm';
import type { JobProgress } from './job.entity.js';

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

/** The code of one kind of job. */
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

/** The kinds of jobs that this backend can run. Each kind registers itself when its module starts. */
@Injectable()
export class JobKinds {
  readonly #kinds = new Map<string, JobKind<unknown, unknown>>();

  register<Params, Result>(name: string, kind: JobKind<Params, Result>): void {
    if (this.#kinds.has(name)) throw new Error(`The kind of job ${name} is registered twice.`);
    this.#kinds.set(name, kind as JobKind<unknown, unknown>);
  }

  get names(): string[] {
    return [...this.#kinds.keys()];
  }

  get(name: string): JobKind<unknown, unknown> {
    const kind = this.#kinds.get(name);
    if (!kind) throw new Error(`No kind of job is registered as ${name}.`);
    return kind;
  }
}
