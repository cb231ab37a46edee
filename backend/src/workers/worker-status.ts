/** A worker that has gone to restart comes back sooner, or not by itself. */
const RESTART_WITHIN_S = 60;

/** SQL: whether the lease `l` of a worker runs and a backend holds its connection. */
const ONLINE = `(l.replica_id IS NOT NULL AND l.lease_until > now())`;

/** SQL: the status of `workers w` with `worker_leases l`, which it may not have yet. */
export const WORKER_STATUS = `CASE
  WHEN w.restart_boot_id IS DISTINCT FROM l.boot_id OR l.boot_id IS NULL THEN CASE WHEN ${ONLINE} THEN 'online' ELSE 'offline' END
  WHEN ${ONLINE} AND w.restart_mode = 'drain' THEN 'draining'
  WHEN ${ONLINE} OR l.lease_until > now() - interval '${RESTART_WITHIN_S} s' THEN 'restarting'
  ELSE 'offline' END`;
