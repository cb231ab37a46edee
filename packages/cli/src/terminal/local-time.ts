/** Shown instead of an invalid time. The times of echoes are from the run, so they may be any text. */
const NO_TIME = '-';

/** Formats a time of the API in this computer's time zone, such as `2026-02-15 10:30:00+01:00`. */
export function localTime(isoTime: string): string {
  const time = new Date(isoTime);
  if (Number.isNaN(time.getTime())) return NO_TIME;
  return `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())} ${clockOf(time)}`;
}

/** As `localTime`, without the date. */
export function localClock(isoTime: string): string {
  const time = new Date(isoTime);
  return Number.isNaN(time.getTime()) ? NO_TIME : clockOf(time);
}

function clockOf(time: Date): string {
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':');
  // The offset is from local time to UTC, so that it is negative east of Greenwich.
  const eastMinutes = -Math.round(time.getTimezoneOffset());
  const [hours, minutes] = [Math.trunc(Math.abs(eastMinutes) / 60), Math.abs(eastMinutes) % 60].map(twoDigits);
  return `${clock}${eastMinutes < 0 ? '-' : '+'}${hours}:${minutes}`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
