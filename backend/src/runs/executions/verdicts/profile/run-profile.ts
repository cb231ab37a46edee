import type { RequestedHost } from '@trawl/contracts';
import type { TargetSummary } from './row-profile.js';
import type { SchemaSummary } from './schema-checker.js';

/** The target of rows of `dataset.push`. */
export const DATASET = 'dataset';

/** Profile of the rows of a run, for each dataset, collection and table. */
export interface RunProfile {
  targets: TargetSummary[];
  /**
   * Where the run has written what its profile lacks, how many rows it has added there, and why. The number is 0 if the run has
   * only changed or deleted rows. Older profiles lack it.
   */
  skipped: { target: string; reason: string; rows?: number }[];
  /** Missing without a schema in the contract. */
  schema?: SchemaSummary;
  /** Hosts that have blocked requests; missing if there were none. */
  blocked?: RequestedHost[];
}
