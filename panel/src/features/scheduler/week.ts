import { Cron } from 'croner';
import type { FireHour, Schedule } from '../../api/entities.js';

const HOUR_MS = 3_600_000;

/** The fates of the fires of an hour, the worst first. The lane shows the first that applies; failures in shares. */
export const FATES = ['failed', 'missed', 'skipped', 'stopped', 'live', 'ended', 'coming'] as const;
export type Fate = (typeof FATES)[number];

export const FATE_LABELS: Record<Fate, string> = {
  failed: 'failed',
  missed: 'missed',
  skipped: 'skipped',
  stopped: 'stopped, or the run was deleted',
  live: 'in progress',
  ended: 'completed',
  coming: 'to come',
};

/** One hour of a lane. `counts` has the number of fires of each fate; for fires to come it is 1, however many they are. */
export interface Slot {
  hour: number;
  fate: Fate;
  counts: Partial<Record<Fate, number>>;
}

export interface Week {
  /** Monday, midnight in the user's time zone. */
  from: Date;
  /** Number of hours; one more or less than 168 if the clocks change. */
  hours: number;
}

/** Returns the week with this day, such as `2026-11-18`; this week for any other text. */
export function weekOf(day: string, now = new Date()): Week {
  const chosen = new Date(`${day}T12:00`);
  const at = Number.isNaN(chosen.getTime()) ? now : chosen;
  const monday = at.getDate() - ((at.getDay() + 6) % 7);
  const from = new Date(at.getFullYear(), at.getMonth(), monday);
  const end = new Date(at.getFullYear(), at.getMonth(), monday + 7);
  return { from, hours: Math.round((end.getTime() - from.getTime()) / HOUR_MS) };
}

/** Returns the Monday some weeks after a week, as in its URL parameter. */
export function weekLater({ from }: Week, weeks: number): string {
  const monday = new Date(from.getFullYear(), from.getMonth(), from.getDate() + weeks * 7);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${monday.getFullYear()}-${two(monday.getMonth() + 1)}-${two(monday.getDate())}`;
}

function fateOf({ outcome, action }: FireHour): Fate {
  if (outcome === 'missed' || outcome === 'skipped') return outcome;
  if (outcome === 'queued' || action === 'start' || action === 'pause') return 'live';
  if (action === 'error') return 'failed';
  return action === 'end' ? 'ended' : 'stopped';
}

/** Returns the hours of a week in which an enabled schedule is still due. */
function comingHours({ cron_span, time_zone, enabled }: Schedule, { from, hours }: Week, now: Date): number[] {
  if (!enabled) return [];
  const cron = new Cron(cron_span, { timezone: time_zone, mode: '5-or-6-parts', paused: true });
  const found: number[] = [];
  const first = Math.max(from.getTime(), now.getTime());
  for (let at = cron.nextRun(new Date(first)); at; ) {
    const hour = Math.floor((at.getTime() - from.getTime()) / HOUR_MS);
    if (hour >= hours) break;
    found.push(hour);
    // Whatever else is due in this hour changes nothing, so a span that fires each second costs no more than an hourly one.
    at = cron.nextRun(new Date(from.getTime() + (hour + 1) * HOUR_MS - 1));
  }
  return found;
}

/** Returns the hours of a week in which a schedule fired, or will fire. */
export function laneSlots(schedule: Schedule, fired: readonly FireHour[], week: Week, now = new Date()): Slot[] {
  const counts = new Map<number, Slot['counts']>();
  const add = (hour: number, fate: Fate, count: number) => {
    const slot = counts.get(hour) ?? {};
    slot[fate] = (slot[fate] ?? 0) + count;
    counts.set(hour, slot);
  };
  for (const fires of fired) if (fires.schedule_id === schedule.id) add(fires.hour, fateOf(fires), fires.fires);
  for (const hour of comingHours(schedule, week, now)) add(hour, 'coming', 1);
  return [...counts]
    .sort(([one], [other]) => one - other)
    .map(([hour, slot]) => ({ hour, counts: slot, fate: FATES.find(fate => slot[fate]) ?? 'coming' }));
}

/** A part of an hour's bar, from 0 at the top to 1 at the bottom. */
export interface Share {
  fate: Fate;
  top: number;
  height: number;
}

/** The smallest height of a share, so that one failure among hundreds of fires is still seen. */
const LEAST_SHARE = 0.15;

/** Returns the bar of an hour with failures: a share for each fate, as high as its part of the fires, the worst on top. */
export function sharesOf({ counts }: Slot): Share[] {
  const fates = FATES.filter(fate => fate !== 'coming' && counts[fate]);
  const sum = fates.reduce((total, fate) => total + (counts[fate] ?? 0), 0);
  const heights = fates.map(fate => Math.max(LEAST_SHARE, (counts[fate] ?? 0) / sum));
  const whole = heights.reduce((total, height) => total + height, 0);
  let top = 0;
  return fates.map((fate, index) => {
    const height = (heights[index] ?? 0) / whole;
    top += height;
    return { fate, top: top - height, height };
  });
}

/** Returns a lane in words, such as `3 completed, 1 skipped, 12 hours to come`. */
export function laneWords(slots: readonly Slot[]): string {
  const parts = FATES.flatMap(fate => {
    const count = slots.reduce((sum, { counts }) => sum + (counts[fate] ?? 0), 0);
    if (count === 0) return [];
    const label = fate === 'coming' ? `${count === 1 ? 'hour' : 'hours'} to come` : FATE_LABELS[fate];
    return [`${count.toLocaleString('en-GB')} ${label}`];
  });
  return parts.length === 0 ? 'no fires' : parts.join(', ');
}
