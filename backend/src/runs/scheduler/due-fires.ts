import { type CatchUp, LIMITS } from '@trawl/contracts';
import { type CronSpan, firesBetween, lastFires, nextFire } from './cron-span.js';

/**
 * The fires of a schedule that is due: those that were missed, the one that makes a run now, and the time of the next
 * one.
 */
export interface DueFires {
  /** The latest missed fires, in order. */
  missed: Date[];
  /** Number of earlier missed fires. */
  leftOut: number;
  /** False if there may be more than `leftOut` fires, because counting stops at a limit after a long outage. */
  isExact: boolean;
  /** The fire that makes a run now; null if all were missed. */
  fireAt: Date | null;
  /** When the schedule is due next; in the past if it has more to catch up. */
  next: Date | null;
}

const MAX_COUNTED = 1_000;

/**
 * Splits the fires from `nextFireAt` to `now` into missed ones and the first one that makes a run; later ones stay due.
 * `catch_up` says which fires make a run after an outage: with `skip` those that are at most `LIMITS.fireLateMs` late,
 * with `once` only the last one, with `all` the latest `LIMITS.fires`.
 */
export function dueFires(schedule: CronSpan & { catch_up: CatchUp }, nextFireAt: Date, now: Date): DueFires {
  const due = [nextFireAt, ...firesBetween(schedule, nextFireAt, now, MAX_COUNTED)];
  const isExact = due.length <= MAX_COUNTED;
  // If there are too many fires to count, look only at the latest ones.
  const latest = isExact ? due : lastFires(schedule, now, 2 * LIMITS.fires);
  const first = firstToFire(schedule.catch_up, latest, now);
  const missed = latest.slice(Math.max(0, first - LIMITS.fires), first);
  const skipped = (isExact ? 0 : due.length - latest.length) + first;
  return {
    missed,
    leftOut: skipped - missed.length,
    isExact,
    fireAt: latest[first] ?? null,
    next: latest[first + 1] ?? nextFire(schedule, latest.at(-1) ?? now),
  };
}

/** Returns the index of the first fire that makes a run. It is `due.length` if none does. */
function firstToFire(catchUp: CatchUp, due: Date[], now: Date): number {
  const isOnTime = (at: Date) => now.getTime() - at.getTime() <= LIMITS.fireLateMs;
  const onTime = due.findIndex(isOnTime);
  if (onTime === 0) return 0;
  if (catchUp === 'once') return due.length - 1;
  if (catchUp === 'all') return Math.max(0, due.length - LIMITS.fires);
  return onTime === -1 ? due.length : onTime;
}
