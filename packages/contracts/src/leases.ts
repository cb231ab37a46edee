/** How a worker keeps its lease, in ms: it beats, and each beat renews the lease. */
export const HEARTBEAT_MS = 3_000;
export const LEASE_MS = 12_000;
