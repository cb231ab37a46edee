import { isOffered } from '../workers/who-may-use.js';
import { WORKER_STATUS } from '../workers/worker-status.js';

/**
 * Says anew what each run waits for that no worker has: workers come and go, and come back with less. What it waits for
 * depends on whose it is, what it needs and where it may go, so it is looked up once for all that have this in common.
 * One for which an online worker has a free slot is about to be taken, or is paused: what was true before stays.
 */
export const SAY_WHY_RUNS_WAIT = `WITH wanted AS (
    SELECT DISTINCT owner_id, worker_id, environment FROM live_runs WHERE boot_id IS NULL),
  on_workers AS (SELECT worker_id, count(*) AS runs FROM live_runs WHERE boot_id IS NOT NULL GROUP BY worker_id),
  true_now AS MATERIALIZED (
    SELECT wanted.*, CASE
        WHEN fitting.has_room THEN NULL
        WHEN 'online' = ANY(fitting.statuses) THEN 'worker_full'
        WHEN fitting.statuses && ARRAY['draining', 'restarting'] THEN 'worker_restarting'
        WHEN 'offline' = ANY(fitting.statuses) THEN 'worker_offline'
        ELSE 'no_suitable_worker' END AS reason
    FROM wanted CROSS JOIN LATERAL (
      SELECT array_agg(${WORKER_STATUS}) AS statuses,
        bool_or(${WORKER_STATUS} = 'online' AND COALESCE(o.runs, 0) < w.slots) AS has_room
      FROM workers w JOIN users u ON u.id = wanted.owner_id LEFT JOIN worker_leases l ON l.worker_id = w.id
        LEFT JOIN on_workers o ON o.worker_id = w.id
      WHERE (w.id = wanted.worker_id OR wanted.worker_id IS NULL AND ${isOffered('w.id', 'wanted.owner_id')})
        AND (w.sandbox IS NULL OR (w.sandbox = 'full' OR u.built_in) AND wanted.environment = ANY(w.environments))) fitting),
  said AS (
    UPDATE live_runs r SET waiting_reason = true_now.reason, waiting_since = now()
    FROM true_now
    WHERE r.boot_id IS NULL AND r.owner_id = true_now.owner_id AND r.environment = true_now.environment
      AND r.worker_id IS NOT DISTINCT FROM true_now.worker_id AND r.waiting_reason <> true_now.reason
      AND (r.waiting_reason <> 'retry_scheduled' OR r.run_after <= now())
    RETURNING r.execution_id, r.waiting_reason, r.waiting_since)
  SELECT e.id, e.owner_id, e.worker_id, e.action, said.waiting_reason, said.waiting_since
  FROM said JOIN executions e ON e.id = said.execution_id`;
