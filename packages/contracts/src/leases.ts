/** How a worker keeps its lease, in ms: it beats, and each beat renews the lease. */
export const HEARTBEAT_MS = 3_000;
export const LEASE_MS = 12_000;
/** A run that may be tried again is ended by its worker when the platform was silent for so long: before the lease is over. */
export const SILENCE_MS = 10_000;
