import { Cron } from 'croner';
import { ApiError } from '../common/errors.js';

export const CRON_SPAN_EXPECTED = 'five or six fields, such as 30 6 * * MON-FRI';

/** When a schedule fires: five or six fields, read in an IANA time zone. */
export interface CronSpan {
  cron_span: string;
  time_zone: string;
}

/** @throws {Error} for a span or zone that `checkCronSpan` would refuse. */
function cronOf({ cron_span, time_zone }: CronSpan): Cron {
  // A fixed offset needs no look at the zone's rules, which is most of the work.
  const zone = time_zone === 'UTC' ? { utcOffset: 0 } : { timezone: time_zone };
  return new Cron(cron_span, { ...zone, mode: '5-or-6-parts', paused: true });
}

/** The first fire after a moment; null when there is none. */
export const nextFire = (span: CronSpan, after: Date): Date | null => cronOf(span).nextRun(after);

/** The first fires after a moment, in order. */
export const nextFires = (span: CronSpan, after: Date, count: number): Date[] => cronOf(span).nextRuns(count, after);

/** Fires after one moment and up to another, in order, at most `max` of them. */
export function firesBetween(span: CronSpan, after: Date, until: Date, max: number): Date[] {
  const cron = cronOf(span);
  const fires: Date[] = [];
  for (let at = cron.nextRun(after); at && at <= until && fires.length < max; at = cron.nextRun(at)) fires.push(at);
  return fires;
}

/** The last fires up to a moment, in order. */
export const lastFires = (span: CronSpan, until: Date, count: number): Date[] =>
  cronOf(span)
    .previousRuns(count, new Date(until.getTime() + 1))
    .reverse();

/**
 * The first fire after `now`.
 * @throws {ApiError} 400 naming what is wrong with the span or the zone.
 */
export function checkCronSpan(span: CronSpan, now: Date): Date {
  if (!isTimeZone(span.time_zone)) {
    throw refusal('time_zone', `must be a time zone of the IANA list such as Europe/Zagreb, got ${span.time_zone}`);
  }
  const fields = span.cron_span.trim().split(/\s+/);
  // The names that stand for a span, such as @daily, are none of the fields that the next reader expects.
  if (fields.length < 5 || fields.length > 6) throw refusal('cron_span', `must be ${CRON_SPAN_EXPECTED}`);
  let next: Date | null;
  try {
    next = nextFire(span, now);
  } catch (error) {
    throw refusal('cron_span', `cannot be read: ${problemOf(error as Error)}`);
  }
  if (!next) throw refusal('cron_span', 'never fires: there is no such day');
  return next;
}

/** The parser counts days and months from 0, which its message would show. */
const problemOf = ({ message }: Error): string =>
  message.replace(/^CronPattern: /, '').replace(/^Invalid value for (\w+).*$/, 'the $1 is out of range');

/** Offsets such as +02:00 are no zones: they know nothing of daylight saving. */
function isTimeZone(name: string): boolean {
  try {
    return (
      /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
    );
  } catch {
    return false;
  }
}

const refusal = (field: string, message: string): ApiError =>
  new ApiError('validation_failed', `${field} ${message}.`, [{ field, message }]);
