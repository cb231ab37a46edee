import type { ProcessMark } from './executor/executor.js';

/** A process that a run has or will have. `endsWithLease`: of a run that may be tried again elsewhere. */
export interface WatchedProcess {
  place: number;
  mark: ProcessMark;
  endsWithLease: boolean;
}

/** What takes the rules for the network of runs away, once there is none; left where another worker has the `claim` by then. */
export interface NetworkRules {
  program: string;
  args: string[];
  environment: Record<string, string>;
  claim: string;
}

/** What the watchdog is told, as JSON, one object a line. `until`: when runs that end with the lease do, of `monotonicMs`. */
export type WatchdogLine = WatchedProcess | { over: number } | { until: number } | { rules: NetworkRules | null };

/** The same clock for all processes of this machine, which nobody sets. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
