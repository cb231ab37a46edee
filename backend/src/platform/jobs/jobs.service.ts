import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { SHARES } from '@trawl/contracts';
import type { EntityManager, Repository, SelectQueryBuilder } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { ApiError, notFound } from '../common/errors.js';
import { Job } from './job.entity.js';
import { JobRunnerService } from './job-runner.service.js';

/** Number of queued and running jobs of an account. */
export const MAX_OPEN_JOBS = SHARES.openJobs;
const RETRY_AFTER_SECONDS = 30;

/** Adds, lists, cancels and deletes the jobs of an account. */
@Injectable()
export class JobsService {
  constructor(
    @InjectRepository(Job) private readonly jobs: Repository<Job>,
    private readonly runner: JobRunnerService,
  ) {}

  /**
   * Adds a job. A backend takes it within seconds.
   * @throws {ApiError} 429 `too_many_requests` if the account has 20 queued and running jobs.
   */
  async add<Params extends object>(ownerId: string, kind: string, params: Params): Promise<Job<Params>> {
    const id = uuidv7();
    await this.jobs.manager.transaction(transaction => this.addIn(transaction, { id, ownerId, kind, params }));
    this.runner.flush();
    return (await this.get(ownerId, kind, id)) as Job<Params>;
  }

  /** Does the same in the caller's transaction. Call `flush` after its commit. */
  async addIn(
    transaction: EntityManager,
    { id, ownerId, kind, params }: { id: string; ownerId: string; kind: string; params: object },
  ): Promise<void> {
    // The lock keeps parallel calls from exceeding the limit together.
    await transaction.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [ownerId]);
    const open = await transaction
      .createQueryBuilder(Job, 'job')
      .where('job.owner_id = :ownerId AND job.ended_at IS NULL', { ownerId })
      .getCount();
    if (open >= MAX_OPEN_JOBS) {
      throw new ApiError(
        'too_many_requests',
        `You have ${open} exports and imports queued or running; the limit is ${MAX_OPEN_JOBS}. Cancel some or wait until some end.`,
        undefined,
        RETRY_AFTER_SECONDS,
      );
    }
    await transaction.query('INSERT INTO jobs (id, owner_id, kind, params) VALUES ($1, $2, $3, $4)', [
      id,
      ownerId,
      kind,
      JSON.stringify(params),
    ]);
  }

  /** Has queued jobs taken now. Without it, a backend takes them within seconds. */
  flush(): void {
    this.runner.flush();
  }

  /** Selects the account's jobs of a kind, under the alias `job`. */
  of(ownerId: string, kind: string): SelectQueryBuilder<Job> {
    return this.jobs.createQueryBuilder('job').where('job.owner_id = :ownerId AND job.kind = :kind', { ownerId, kind });
  }

  /** @throws {ApiError} 404. */
  async get(ownerId: string, kind: string, id: string): Promise<Job> {
    const job = await this.of(ownerId, kind).andWhere('job.id = :id', { id }).getOne();
    if (!job) throw notFound(kind, id);
    return job;
  }

  /** Finds a job of any account; null if there is none. Check first that the caller may know it. */
  find(kind: string, id: string): Promise<Job | null> {
    return this.jobs.findOneBy({ kind, id });
  }

  /**
   * Cancels a job. A queued one ends at once, a running one within seconds. An ended one stays as it is.
   * @throws {ApiError} 404.
   */
  async cancel(ownerId: string, kind: string, id: string): Promise<Job> {
    await this.jobs.query(
      `UPDATE jobs SET cancel_requested = true, updated_at = now(),
         state = CASE state WHEN 'queued' THEN 'cancelled' ELSE state END,
         ended_at = CASE state WHEN 'queued' THEN now() END
       WHERE id = $1 AND owner_id = $2 AND kind = $3 AND ended_at IS NULL`,
      [id, ownerId, kind],
    );
    const job = await this.get(ownerId, kind, id);
    this.runner.cancel(id);
    return job;
  }

  /** Deletes a job. A running one stops within seconds. @throws {ApiError} 404. */
  async delete(ownerId: string, kind: string, id: string): Promise<void> {
    const { affected } = await this.jobs.delete({ id, owner_id: ownerId, kind });
    if (affected === 0) throw notFound(kind, id);
    this.runner.cancel(id);
  }

  /** Returns those of the ids that no job has. */
  async withoutRow(ids: string[]): Promise<string[]> {
    return (
      await this.jobs.query<{ id: string }[]>(
        'SELECT id FROM unnest($1::uuid[]) AS asked (id) WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.id = asked.id)',
        [ids],
      )
    ).map(({ id }) => id);
  }
}
