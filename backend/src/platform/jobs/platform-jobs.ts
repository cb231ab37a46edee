import type { EntityManager } from 'typeorm';

/**
 * Returns an SQL statement that adds jobs of the platform. It needs no lock, so it fits into any transaction.
 * @param kind name of the kind.
 * @param job.params SQL expression of the parameters of each job, as JSON.
 * @param job.lane SQL expression of the lane of each job. Without it, the jobs are in no lane of their own.
 * @param job.delaySeconds how long a job waits before its first attempt.
 * @param job.from SQL of the rows that each become a job.
 */
export function insertPlatformJobs(
  kind: string,
  { lane = `''`, params, delaySeconds, from }: { lane?: string; params: string; delaySeconds: number; from: string },
): string {
  return `INSERT INTO jobs (kind, lane, params, run_at)
    SELECT '${kind}', ${lane}, ${params}, now() + interval '${delaySeconds} seconds' FROM ${from} RETURNING id`;
}

type Db = Pick<EntityManager, 'query'>;

/** Throw it in the code of a job of the platform that cannot do its work yet. The job is taken again after the time. */
export class Postponed extends Error {
  constructor(readonly seconds: number) {
    super(`postponed by ${seconds} s`);
  }
}

/**
 * Deletes a job in the transaction that does its work, so that it is done exactly once. Returns false if another backend
 * has taken the job meanwhile; then roll the transaction back.
 */
export async function endPlatformJob(db: Db, { id, attempt }: { id: string; attempt: number }): Promise<boolean> {
  const [, ended] = await db.query<[unknown, number]>(
    `DELETE FROM jobs WHERE id = $1 AND attempt = $2 AND state = 'running'`,
    [id, attempt],
  );
  return ended === 1;
}

/** Deletes the jobs of a lane. One that runs does not notice; `endPlatformJob` tells it. */
export async function deleteLane(db: Db, kind: string, lane: string): Promise<void> {
  await db.query(`DELETE FROM jobs WHERE ${IN_LANE}`, [kind, lane]);
}

/** Makes the jobs of a lane due a little later, so that meanwhile those of other lanes have their turn. */
export async function postponeLane(db: Db, kind: string, lane: string, seconds: number): Promise<void> {
  await db.query(
    `UPDATE jobs SET run_at = now() + $3 * interval '1 s' WHERE ${IN_LANE} AND state = 'queued' AND run_at <= now()`,
    [kind, lane, seconds],
  );
}

/** SQL: whether an open job of the platform has the kind `$1` and the lane `$2`. */
const IN_LANE = `kind = $1 AND lane = $2 AND lane <> '' AND owner_id IS NULL AND ended_at IS NULL`;
