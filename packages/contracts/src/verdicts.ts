/** Levels of a verdict, which compares the rows of a run with those of earlier runs. */
export const VERDICT_LEVELS = ['new', 'ok', 'unusual', 'broken'] as const;
export type VerdictLevel = (typeof VERDICT_LEVELS)[number];

/** The figures of which a verdict may say that they are not as usual. */
export const FINDING_KINDS = [
  'rows',
  'duplicates',
  'filled',
  'type',
  'variety',
  'number',
  'length',
  'schema',
  'blocked',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];
