import type { RequestedHost } from '@trawl/contracts';
import type { TargetSummary } from './row-profile.js';
import type { SchemaSummary } from './schema-checker.js';

/** The target of rows of `dataset.push`. */
export const DATASET = 'dataset';

/** A run may have written to many places. The profile has this many reasons. */
export const MAX_REASONS = 3;
/** Size of a profile as JSON. */
const PROFILE_BYTES = 40 * 1024;

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

/** Returns a profile of a bounded size: leaves out the last fields if their names are very long. */
export function boundedProfile({ targets, ...rest }: RunProfile): RunProfile {
  const skipped = rest.skipped.map((one, index) => (index < MAX_REASONS ? one : { ...one, reason: '' }));
  let left = PROFILE_BYTES - sizeOf({ ...rest, schema: null, skipped });
  const fits = (value: object) => {
    left -= sizeOf(value);
    return left >= 0;
  };
  const bounded = targets.map(target => {
    const fields = target.fields.filter(fits);
    return { ...target, fields, has_more_fields: target.has_more_fields || fields.length < target.fields.length };
  });
  return { ...rest, skipped, targets: bounded };
}

const sizeOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));
