import { ApiError } from '../common/errors.js';

/** @throws {ApiError} 400 naming the field, for a text that is not the name of a time zone. */
export function checkTimeZone(name: string, field = 'time_zone'): void {
  if (isTimeZone(name)) return;
  const message = `must be an IANA time zone such as Europe/Zagreb; you sent ${name}`;
  throw new ApiError('validation_failed', `${field} ${message}.`, [{ field, message }]);
}

/**
 * Returns whether a text is the name of a time zone. Offsets such as +02:00 are refused, because they ignore daylight
 * saving time.
 */
function isTimeZone(name: string): boolean {
  try {
    return (
      /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
    );
  } catch {
    return false;
  }
}
