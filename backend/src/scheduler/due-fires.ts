import { type CatchUp, LIMITS } from '@trawl/contracts';
import { type CronSpan, firesBetween, lastFires, nextFire } from './cron-span.js';

/** What is to be done about a schedule that is due. */
export interface DueFires {
  /** Missed for good: the latest ones, in order. */
  missed: Date[];
  /** How many more were missed before those. */
  leftOut: number;
  /** Whether it is so many, or at least so many: counting takes time, and after a long outage nobody needs the number. */
  isExact: boolean;
  /** The one that makes a run now; null when all were missed. */
  fireAt: Date | null;
  /** When the schedule is due again: at once, if it has more to catch up. */
  next: Date | null;
}

const COUNTED = 1_000;

/**
 * Sorts the fires from `nextFireAt` to `now` into those that are missed and the first to make a run; what comes after that
 * one stays due. After an outage `skip` fires what is not too late, `once` the last of all, `all` the latest `LIMITS.fires`.
 */
export function dueFires(schedule: CronSpan & { catch_up: CatchUp }, nextFireAt: Date, now: Date): DueFires {
  const due = [nextFireAt, ...firesBetween(schedule, nextFireAt, now, COUNTED)];
  const isExact = due.length <= COUNTED;
  // The latest ones are those that count.
  const latest = isExact ? due : lastFires(schedule, now, 2 * LIMITS.fires);
  const first = firstToFire(schedule.catch_up, latest, now);
  const missed = latest.slice(Math.max(0, first - LIMITS.fires), first);
  const passedOver = (isExact ? 0 : due.length - latest.length) + first;
  return {
    missed,
    leftOut: passedOver - missed.length,
    isExact,
    fireAt: latest[first] ?? null,
    next: latest[first + 1] ?? nextFire(schedule, latest.at(-1) ?? now),
  };
}

/** Index of the first fire that makes a run. */
function firstToFire(catchUp: CatchUp, due: Date[], now: Date): number {
  const isOnTime = (at: Date) => now.getTime() - at.getTime() <= LIMITS.fireLateMs;
  const onTime = due.findIndex(isOnTime);
  if (onTime === 0) return 0;
  if (catchUp === 'once') return due.length - 1;
  if (catchUp === 'all') return Math.max(0, due.length - LIMITS.fires);
  return onTime === -1 ? due.length : onTime;
}
