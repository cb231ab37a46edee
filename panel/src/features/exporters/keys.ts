export const EXPORTS_KEY = ['exports'];
export const EXPORTERS_KEY = ['exporters'];
export const IMPORTS_KEY = ['imports'];

/** Interval of polling while something is queued or running. */
export const PROGRESS_MS = 1_500;
/** Interval of polling otherwise: schedules and runs start exports by themselves. */
export const IDLE_MS = 30_000;
