import { Cron } from 'croner';
import { ApiError } from '../../platform/common/errors.js';
import { checkTimeZone } from '../../platform/http/time-zone.js';

export const CRON_SPAN_EXPECTED = 'five or six fields, such as 30 6 * * MON-FRI';

/** When a schedule fires: five or six cron fields in an IANA time zone. */
export interface CronSpan {
  cron_span: string;
  time_zone: string;
}

/** @throws {Error} for a span or time zone that `checkCronSpan` refuses. */
function cronOf({ cron_span, time_zone }: CronSpan): Cron {
  // For UTC, use a fixed offset of 0. This is much faster, because croner then does not apply the rules of a time zone.
  const zone = time_zone === 'UTC' ? { utcOffset: 0 } : { timezone: time_zone };
  return new Cron(cron_span, { ...zone, mode: '5-or-6-parts', paused: true });
}

/** Returns the first fire after a moment; null if there is none. */
export const nextFire = (span: CronSpan, after: Date): Date | null => cronOf(span).nextRun(after);

/** Returns the first fires after a moment, in order. */
export const nextFires = (span: CronSpan, after: Date, count: number): Date[] => cronOf(span).nextRuns(count, after);

/** Returns at most `max` fires after one moment and up to another, in order. */
export function firesBetween(span: CronSpan, after: Date, until: Date, max: number): Date[] {
  const cron = cronOf(span);
  const fires: Date[] = [];
  for (let at = cron.nextRun(after); at && at <= until && fires.length < max; at = cron.nextRun(at)) fires.push(at);
  return fires;
}

/** Returns the last fires up to a moment, in order. */
export const lastFires = (span: CronSpan, until: Date, count: number): Date[] =>
  cronOf(span)
    .previousRuns(count, new Date(until.getTime() + 1))
    .reverse();

/**
 * Checks a cron span and returns its first fire after `now`.
 * @throws {ApiError} 400 that says what is wrong with the span or the time zone.
 */
export function checkCronSpan(span: CronSpan, now: Date): Date {
  checkTimeZone(span.time_zone);
  const fields = span.cron_span.trim().split(/\s+/);
  // Croner also accepts nicknames such as @daily, which this API does not.
  if (fields.length < 5 || fields.length > 6) throw refusal('cron_span', `must be ${CRON_SPAN_EXPECTED}`);
  let next: Date | null;
  try {
    next = nextFire(span, now);
  } catch (error) {
    throw refusal('cron_span', `is invalid: ${problemOf(error as Error)}`);
  }
  if (!next) throw refusal('cron_span', 'never fires, because no date matches it');
  return next;
}

/** Returns croner's message without the invalid value, because croner counts days and months from 0. */
const problemOf = ({ message }: Error): string =>
  message.replace(/^CronPattern: /, '').replace(/^Invalid value for (\w+).*$/, 'the $1 is out of range');

const refusal = (field: string, message: string): ApiError =>
  new ApiError('validation_failed', `${field} ${message}.`, [{ field, message }]);
