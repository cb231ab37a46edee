import { IN_MAINTENANCE } from '../../../platform/maintenance/in-maintenance.js';
import { mayUseWorker } from '../../workers/worker-access.js';
import { WORKER_STATUS } from '../../workers/worker-status.js';

/**
 * SQL that updates the waiting reason of every run that has a bundle and no worker. A reason can change when workers connect,
 * disconnect or come back with a weaker sandbox. The reason is computed once for each combination of owner, environment
 * and requested worker, because it depends only on these and on a maintenance. The reason is not changed while a suitable online worker has
 * a free slot: either this worker takes the run in a moment, or the run is paused.
 * See docs/decisions/0019-waiting-runs-have-a-reason.md.
 */
export const UPDATE_WAITING_REASONS = `WITH waiting AS (
    SELECT DISTINCT owner_id, worker_id, environment FROM live_runs WHERE boot_id IS NULL AND builder IS NULL),
  on_workers AS (SELECT worker_id, count(*) AS runs FROM live_runs WHERE boot_id IS NOT NULL GROUP BY worker_id),
  actual AS MATERIALIZED (
    SELECT waiting.*, CASE
        WHEN ${IN_MAINTENANCE} THEN 'maintenance'
        WHEN fitting.has_room THEN NULL
        WHEN 'online' = ANY(fitting.statuses) THEN 'worker_full'
        WHEN fitting.statuses && ARRAY['draining', 'restarting'] THEN 'worker_restarting'
        WHEN 'offline' = ANY(fitting.statuses) THEN 'worker_offline'
        ELSE 'no_suitable_worker' END AS reason
    FROM waiting CROSS JOIN LATERAL (
      SELECT array_agg(${WORKER_STATUS}) AS statuses,
        bool_or(${WORKER_STATUS} = 'online' AND COALESCE(o.runs, 0) < w.slots) AS has_room
      FROM workers w JOIN users u ON u.id = waiting.owner_id LEFT JOIN worker_leases l ON l.worker_id = w.id
        LEFT JOIN on_workers o ON o.worker_id = w.id
      WHERE (w.id = waiting.worker_id OR waiting.worker_id IS NULL AND ${mayUseWorker('w.id', 'waiting.owner_id')})
        AND (w.sandbox IS NULL OR (w.sandbox = 'full' OR u.built_in) AND waiting.environment = ANY(w.environments))) fitting),
  updated AS (
    UPDATE live_runs r SET waiting_reason = actual.reason, waiting_since = now()
    FROM actual
    WHERE r.boot_id IS NULL AND r.builder IS NULL AND r.owner_id = actual.owner_id AND r.environment = actual.environment
      AND r.worker_id IS NOT DISTINCT FROM actual.worker_id AND r.waiting_reason <> actual.reason
      AND (r.waiting_reason <> 'retry_scheduled' OR r.run_after <= now())
    RETURNING r.execution_id, r.waiting_reason, r.waiting_since)
  SELECT e.id, e.owner_id, e.worker_id, e.action, updated.waiting_reason, updated.waiting_since
  FROM updated JOIN executions e ON e.id = updated.execution_id`;
