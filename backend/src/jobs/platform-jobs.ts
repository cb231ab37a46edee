/**
 * Returns an SQL statement that adds jobs of the platform. It needs no lock, so it fits into any transaction.
 * @param kind name of the kind.
 * @param job.params SQL expression of the parameters of each job, as JSON.
 * @param job.delaySeconds how long a job waits before its first attempt.
 * @param job.from SQL of the rows that each become a job.
 */
export function insertPlatformJobs(
  kind: string,
  { params, delaySeconds, from }: { params: string; delaySeconds: number; from: string },
): string {
  return `INSERT INTO jobs (kind, params, run_at)
    SELECT '${kind}', ${params}, now() + interval '${delaySeconds} seconds' FROM ${from} RETURNING id`;
}
