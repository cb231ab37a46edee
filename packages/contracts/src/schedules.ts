/** Ways in which a schedule handles a fire while the run of an earlier fire is still live. */
export const OVERLAPS = ['skip', 'queue', 'allow'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/**
 * How a schedule can treat fires that it missed while the platform was down or in maintenance: no run, one run, or a
 * run for each.
 */
export const CATCH_UPS = ['skip', 'once', 'all'] as const;
export type CatchUp = (typeof CATCH_UPS)[number];

/** The outcome of a fire. `queued` changes to `fired` or `skipped` when the previous run ends. */
export const FIRE_OUTCOMES = ['queued', 'fired', 'skipped', 'missed'] as const;
export type FireOutcome = (typeof FIRE_OUTCOMES)[number];

/** The reasons why a fire started no run. Another possible reason is the `error_code` of a refused start. */
export const FIRE_REASONS = {
  overlap: 'The run of an earlier fire was still live.',
  queue_full: 'The queue of the schedule was full.',
  waiting: 'The fire waits in the queue for the previous run to end.',
  disabled: 'The schedule was disabled while the fire waited.',
  owner_disabled: 'The account of the schedule’s owner is disabled.',
  platform_down: 'The platform was down, in maintenance, or too busy to start the run in time.',
} as const;
export type FireReason = keyof typeof FIRE_REASONS;
