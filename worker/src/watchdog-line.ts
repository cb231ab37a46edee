import type { ProcessMark } from './executor/executor.js';

export interface WatchedRun {
  run: string;
  mark: ProcessMark;
  endsWithLease: boolean;
}

/** What the watchdog is told, as JSON, one object a line. `until`: when runs that end with the lease do, of `monotonicMs`. */
export type WatchdogLine = WatchedRun | { over: string } | { until: number };

/** The same clock for all processes of this machine, which nobody sets. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
