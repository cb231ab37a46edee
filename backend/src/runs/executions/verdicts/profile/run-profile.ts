import type { TargetSummary } from './row-profile.js';

/** Profile of the rows of a run, for each dataset, collection and table. */
export interface RunProfile {
  targets: TargetSummary[];
  /** Where the run has stored rows that its profile lacks, and why. */
  skipped: { target: string; reason: string }[];
}
