/** What a fire does while the run of an earlier one goes on. */
export const OVERLAPS = ['skip', 'queue', 'allow'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** What happens to fires that the platform was not there for. */
export const CATCH_UPS = ['skip', 'once', 'all'] as const;
export type CatchUp = (typeof CATCH_UPS)[number];

/** `queued` becomes `fired` or `skipped` when the run before has ended. */
export const FIRE_OUTCOMES = ['queued', 'fired', 'skipped', 'missed'] as const;
export type FireOutcome = (typeof FIRE_OUTCOMES)[number];

/** Why a fire made no run, beside the `error_code` of a start that was refused. */
export const FIRE_REASONS = {
  overlap: 'The run of an earlier fire was still going on.',
  queue_full: 'As many fires as may wait were waiting for the run before.',
  waiting: 'It waits for the run before to end.',
  disabled: 'The schedule was disabled while it waited.',
  owner_disabled: 'The account of its owner is disabled.',
  platform_down: 'The platform did not get to it in time.',
} as const;
export type FireReason = keyof typeof FIRE_REASONS;
