import type { TargetSummary } from './row-profile.js';

/** What a run has stored, by dataset, collection and table. */
export interface RunProfile {
  targets: TargetSummary[];
  /** Where the run has stored rows that its profile lacks, and why. */
  skipped: { target: string; reason: string }[];
}
