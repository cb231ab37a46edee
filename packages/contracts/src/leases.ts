/** The default length of a lease: if a worker sends no heartbeat for this long, the platform declares its runs lost. */
export const LEASE_MS = 12_000;

/**
 * The shortest lease that can be set. With a shorter one, a worker on a busy machine could not end its runs in the time
 * between `silenceMs` and the end of the lease.
 */
export const MIN_LEASE_MS = 2_000;
export const MAX_LEASE_MS = 600_000;

/** A worker needs at most this long to end a run's processes. */
export const KILL_MS = 1_000;

/** The times that backend and worker use for a worker's lease, all in ms. */
export interface LeaseTimes {
  /** A lease lasts this long; each heartbeat renews it. */
  leaseMs: number;
  /** After this long without an answer, the worker ends runs that have retries left, before the lease expires. */
  silenceMs: number;
  /**
   * Time between two heartbeats of the worker. `silenceMs` is more than three times as long, so two lost heartbeats do
   * no harm.
   */
  heartbeatMs: number;
  /**
   * If the worker gets no answer to its `hello` for this long, it connects again. `silenceMs` is long enough for two
   * attempts.
   */
  helloMs: number;
  /** Time between two checks of the backend for expired leases. */
  sweepMs: number;
}

/**
 * Computes all times of a lease from its length, so that they fit together for every length.
 * See docs/decisions/0047-leases-and-heartbeats.md.
 */
export function leaseTimes(leaseMs: number): LeaseTimes {
  const silenceMs = leaseMs - Math.max(KILL_MS, leaseMs / 6);
  return {
    leaseMs,
    silenceMs,
    heartbeatMs: Math.round(0.3 * silenceMs),
    helloMs: Math.min(5_000, silenceMs / 2),
    sweepMs: Math.min(1_000, leaseMs / 12),
  };
}

/** The default times, which the documentation names. */
export const { heartbeatMs: HEARTBEAT_MS, silenceMs: SILENCE_MS } = leaseTimes(LEASE_MS);
