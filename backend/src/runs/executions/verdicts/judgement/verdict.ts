import type { FindingKind, VerdictLevel } from '@trawl/contracts';
import type { ValueType } from '../profile/field-profile.js';

/** One way in which the rows of a run differ from those of earlier runs. */
export interface Finding {
  level: 'unusual' | 'broken';
  target: string;
  /** Null if the finding is about whole rows. */
  field: string | null;
  what: FindingKind;
  was: number;
  now: number;
  /** The finding as a sentence. */
  text: string;
  /** Rows that show it; missing if they are to be chosen from the examples of the run. */
  rows?: object[];
  /** The type that the field usually has. A finding about types has it, and its rows are those with another type. */
  usualType?: ValueType;
}

/** A finding with up to three rows that show it. */
export type ShownFinding = Required<Omit<Finding, 'usualType'>>;

/** A verdict as it is stored and shown. */
export interface ShownVerdict extends Omit<Verdict, 'findings'> {
  findings: ShownFinding[];
  /** Whether exports leave out the rows until the owner accepts them. */
  is_held?: boolean;
  /** When the owner said that these rows are normal now. */
  accepted_at?: string;
}

export interface Verdict {
  level: VerdictLevel;
  /** Why the run was not judged; null if it was. */
  reason: string | null;
  findings: Finding[];
}
