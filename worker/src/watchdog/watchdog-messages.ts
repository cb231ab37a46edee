import type { ProcessIdentity } from '../process/process-identity.js';

/** A process that serves a run, or will serve one. `endsWithLease` is true if its run has retries left. */
export interface WatchedProcess {
  slotIndex: number;
  identity: ProcessIdentity;
  endsWithLease: boolean;
}

/**
 * The command that removes the networks of runs. It is not executed if another worker has claimed the socket `claim` in
 * the meantime.
 */
export interface RunNetworks {
  program: string;
  args: string[];
  environment: Record<string, string>;
  claim: string;
}

/**
 * Messages to the watchdog, with one JSON object on each line. `until` is the time, by `monotonicMs`, at which the
 * watchdog ends the runs with `endsWithLease`.
 */
export type WatchdogLine = WatchedProcess | { ended: number } | { until: number } | { networks: RunNetworks | null };

/** Returns the monotonic time in milliseconds, which is the same in all processes of this machine. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
