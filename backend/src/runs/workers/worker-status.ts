/** Seconds that a worker may take to reconnect after a restart. After that, it counts as offline. */
const RESTART_WITHIN_S = 60;

/** SQL: true if lease `l` is valid and a backend has the worker's connection. */
export const IS_CONNECTED = `(l.replica_id IS NOT NULL AND l.lease_until > now())`;

/** SQL for the status of `workers w`. The lease `worker_leases l` may be missing. */
export const WORKER_STATUS = `CASE
  WHEN w.restart_boot_id IS DISTINCT FROM l.boot_id OR l.boot_id IS NULL THEN CASE WHEN ${IS_CONNECTED} THEN 'online' ELSE 'offline' END
  WHEN ${IS_CONNECTED} AND w.restart_mode = 'drain' THEN 'draining'
  WHEN ${IS_CONNECTED} OR l.lease_until > now() - interval '${RESTART_WITHIN_S} s' THEN 'restarting'
  ELSE 'offline' END`;
