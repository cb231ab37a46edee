import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { deleteInBatches } from '../common/sql/delete-in-batches.js';
import type { JobProgress } from './job.entity.js';
import type { JobEnd, RegisteredKind, TakenJob } from './job-kinds.service.js';

/** A job that the backends of three attempts did not survive is not tried again, because it may be what killed them. */
export const MAX_ATTEMPTS = 3;
/** Number of ended jobs that an account keeps. */
const MAX_ENDED_PER_ACCOUNT = 1_000;

/** No job of the platform waits longer than this for its next attempt. */
const MAX_DELAY_HOURS = 24;

export type TakenRow = TakenJob<unknown> & { kind: string };
type Holder = Pick<TakenRow, 'id' | 'attempt'>;

/**
 * SQL: whether a backend holds the running job `j`, by PostgreSQL's clock. A lease that ends much later than any backend
 * asks for is from a time when that clock was ahead, so it does not count.
 */
const isHeld = (leaseMs: string): string =>
  `(j.lease_until > now() AND j.lease_until < now() + 2 * ${leaseMs} * interval '1 ms')`;

/**
 * SQL: whether an open job `j` of the platform is due, and no backend holds it. A time later than any delay is from a time
 * when the clock was ahead.
 */
const isPlatformJobDue = (leaseMs: string): string =>
  `(CASE j.state WHEN 'queued' THEN j.run_at <= now() OR j.run_at > now() + interval '${MAX_DELAY_HOURS} hours'
     ELSE NOT ${isHeld(leaseMs)} END)`;

/** SQL: the names of kinds, and how many of their jobs a lane may run. */
const KINDS = 'kinds AS (SELECT * FROM unnest($1::text[], $3::int[]) AS k(name, per_lane))';

/** Kinds of jobs by name. */
type Kinds = Map<string, Pick<RegisteredKind, 'perLane'>>;

/**
 * Returns an SQL expression: whether a job waits for a backend.
 * @param leaseMs placeholder of the length of leases.
 */
export const findOpenJobs = (leaseMs = ''): string => {
  const lease = `${leaseMs}::int`;
  return `EXISTS (SELECT FROM jobs j
      WHERE j.ended_at IS NULL AND j.owner_id IS NOT NULL AND (j.state = 'queued' OR NOT ${isHeld(lease)}))
    OR EXISTS (SELECT FROM jobs j WHERE j.ended_at IS NULL AND j.owner_id IS NULL AND ${isPlatformJobDue(lease)})`;
};

/** The statements with which backends take, renew and end jobs. */
@Injectable()
export class JobsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Takes a job of an account that no backend holds. Accounts with fewer running jobs come first, then older jobs. Two
   * backends that take jobs at the same moment may exceed an account's limit by one.
   */
  take(kinds: Kinds, leaseMs: number): Promise<TakenRow | undefined> {
    return this.#take(
      kinds,
      leaseMs,
      `WITH ${KINDS}, running AS (
         SELECT owner_id, count(*) AS jobs FROM jobs j
         WHERE ended_at IS NULL AND owner_id IS NOT NULL AND state = 'running' AND ${isHeld('$2')} GROUP BY owner_id),
       next AS (
         SELECT j.id FROM jobs j JOIN kinds k ON k.name = j.kind
         JOIN users u ON u.id = j.owner_id AND u.disabled_at IS NULL
         LEFT JOIN running r ON r.owner_id = j.owner_id
         WHERE j.ended_at IS NULL AND (j.state = 'queued' OR NOT ${isHeld('$2')})
           AND NOT j.cancel_requested AND j.attempt < ${MAX_ATTEMPTS} AND coalesce(r.jobs, 0) < k.per_lane
         ORDER BY coalesce(r.jobs, 0), j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED)`,
    );
  }

  /**
   * Takes a job of the platform that is due and that no backend holds, the earliest first. Two backends that take jobs at
   * the same moment may exceed a lane's limit by one.
   */
  takePlatform(kinds: Kinds, leaseMs: number): Promise<TakenRow | undefined> {
    return this.#take(
      kinds,
      leaseMs,
      `WITH ${KINDS}, running AS (
         SELECT kind, lane, count(*) AS jobs FROM jobs j
         WHERE ended_at IS NULL AND owner_id IS NULL AND state = 'running' AND ${isHeld('$2')} GROUP BY kind, lane),
       next AS (
         SELECT j.id FROM jobs j JOIN kinds k ON k.name = j.kind
         LEFT JOIN running r ON r.kind = j.kind AND r.lane = j.lane
         WHERE j.ended_at IS NULL AND j.owner_id IS NULL AND ${isPlatformJobDue('$2')} AND coalesce(r.jobs, 0) < k.per_lane
         ORDER BY j.run_at LIMIT 1 FOR UPDATE OF j SKIP LOCKED)`,
    );
  }

  async #take(kinds: Kinds, leaseMs: number, next: string): Promise<TakenRow | undefined> {
    const [rows] = await this.dataSource.query<[TakenRow[], number]>(
      `${next}
       UPDATE jobs SET state = 'running', attempt = attempt + 1, lease_until = now() + $2 * interval '1 ms',
         started_at = coalesce(started_at, now()), updated_at = now()
       WHERE id IN (SELECT id FROM next) RETURNING id, owner_id, kind, params, attempt`,
      [[...kinds.keys()], leaseMs, [...kinds.values()].map(({ perLane }) => perLane)],
    );
    return rows[0];
  }

  /**
   * Renews the lease and saves the progress.
   * @returns `lost` if the job was deleted or taken by another backend, `cancelled` if the owner cancelled it or an
   * administrator disabled the account.
   */
  async renew({ id, attempt }: Holder, progress: JobProgress, leaseMs: number): Promise<'held' | 'lost' | 'cancelled'> {
    const [[row]] = await this.dataSource.query<[{ cancelled: boolean }[], number]>(
      `UPDATE jobs j SET lease_until = now() + $3 * interval '1 ms', progress = $4, updated_at = now()
       WHERE j.id = $1 AND j.attempt = $2 AND j.state = 'running'
       RETURNING j.cancel_requested
         OR EXISTS (SELECT FROM users u WHERE u.id = j.owner_id AND u.disabled_at IS NOT NULL) AS cancelled`,
      [id, attempt, leaseMs, JSON.stringify(progress)],
    );
    if (!row) return 'lost';
    return row.cancelled ? 'cancelled' : 'held';
  }

  /**
   * Records the end of a job, unless its backend lost it.
   * @param also writes more in the same transaction.
   */
  async end(
    { id, attempt }: Holder,
    progress: JobProgress,
    end: JobEnd,
    also: (transaction: EntityManager) => Promise<void> | undefined,
  ): Promise<void> {
    const { state } = end;
    const result = state === 'done' ? JSON.stringify(end.result ?? null) : null;
    const [code, message] = state === 'failed' ? [end.error_code, end.error_message] : [null, null];
    await this.dataSource.transaction(async transaction => {
      const [, ended] = await transaction.query<[unknown[], number]>(
        `UPDATE jobs SET state = $3, progress = $4, result = $5, error_code = $6, error_message = $7,
           lease_until = NULL, ended_at = now(), updated_at = now()
         WHERE id = $1 AND attempt = $2 AND state = 'running'`,
        [id, attempt, state, JSON.stringify(progress), result, code, message],
      );
      if (ended > 0) await also(transaction);
    });
  }

  /** Deletes a job of the platform that is done, unless its backend lost it. */
  async finishPlatform({ id, attempt }: Holder): Promise<void> {
    await this.dataSource.query(`DELETE FROM jobs WHERE id = $1 AND attempt = $2 AND state = 'running'`, [id, attempt]);
  }

  /** Plans the next attempt of a job of the platform. */
  async retryPlatform({ id, attempt }: Holder, seconds: number): Promise<void> {
    await this.dataSource.query(
      `UPDATE jobs SET state = 'queued', run_at = now() + $3 * interval '1 s', lease_until = NULL, updated_at = now()
       WHERE id = $1 AND attempt = $2 AND state = 'running'`,
      [id, attempt, seconds],
    );
  }

  /** Gives a job back, so that another backend can take it at once. This attempt does not count. */
  async release({ id, attempt }: Holder): Promise<void> {
    await this.dataSource.query(
      `UPDATE jobs SET state = 'queued', attempt = attempt - 1, lease_until = NULL, updated_at = now()
       WHERE id = $1 AND attempt = $2 AND state = 'running'`,
      [id, attempt],
    );
  }

  /**
   * Ends a job that no backend will take: its backend was killed, or gave it back after its owner had cancelled it.
   * @param also writes more in the same transaction.
   * @returns false if there is none.
   */
  async endAbandoned(
    kinds: string[],
    leaseMs: number,
    also: (transaction: EntityManager, job: TakenRow, end: JobEnd) => Promise<void> | undefined,
  ): Promise<boolean> {
    const error_message = `The backend stopped, or lost a database, ${MAX_ATTEMPTS} times while it ran this job.`;
    return this.dataSource.transaction(async transaction => {
      const [[job]] = await transaction.query<[(TakenRow & { cancelled: boolean })[], number]>(
        `UPDATE jobs SET lease_until = NULL, ended_at = now(), updated_at = now(),
           state = CASE WHEN cancel_requested THEN 'cancelled' ELSE 'failed' END,
           error_code = CASE WHEN cancel_requested THEN NULL ELSE 'internal_error' END,
           error_message = CASE WHEN cancel_requested THEN NULL ELSE $4 END
         WHERE id = (
           SELECT id FROM jobs j WHERE ended_at IS NULL AND owner_id IS NOT NULL AND kind = ANY($1)
             AND (state = 'queued' AND cancel_requested
               OR state = 'running' AND NOT ${isHeld('$2')} AND (cancel_requested OR attempt >= $3))
           LIMIT 1 FOR UPDATE SKIP LOCKED)
         RETURNING id, owner_id, kind, params, attempt, cancel_requested AS cancelled`,
        [kinds, leaseMs, MAX_ATTEMPTS, error_message],
      );
      if (!job) return false;
      const { cancelled, ...ended } = job;
      const failure = { state: 'failed', error_code: 'internal_error', error_message } as const;
      await also(transaction, ended, cancelled ? { state: 'cancelled' } : failure);
      return true;
    });
  }

  /** Deletes jobs that ended more than `days` ago, and the oldest ended ones of accounts with very many. */
  async deleteOld(days: number): Promise<void> {
    await deleteInBatches(this.dataSource, 'jobs', `t.ended_at < now() - $1 * interval '1 day'`, [days]);
    await deleteInBatches(
      this.dataSource,
      'jobs',
      `t.id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY owner_id ORDER BY id DESC) AS place
                                FROM jobs WHERE ended_at IS NOT NULL) ended WHERE place > $1)`,
      [MAX_ENDED_PER_ACCOUNT],
    );
  }
}
