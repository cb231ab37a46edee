/** Dates are in British English like the rest of the panel, whatever the browser's language. */
const LOCALE = 'en-GB';

const date = new Intl.DateTimeFormat(LOCALE, { year: 'numeric', month: 'short', day: 'numeric' });

const time = new Intl.DateTimeFormat(LOCALE, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

const clock = new Intl.DateTimeFormat(LOCALE, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

/** Short name of the user's time zone, such as "CET" or "UTC". */
export const ZONE =
  new Intl.DateTimeFormat(LOCALE, { timeZoneName: 'short' })
    .formatToParts(new Date())
    .find(part => part.type === 'timeZoneName')?.value ?? 'local time';

/** Formats an ISO time with date, time and zone as plain text. */
export function timeWords(iso: string): string {
  const at = new Date(iso);
  return `${date.format(at)} ${time.format(at)} ${ZONE}`;
}

const utcTime = new Intl.DateTimeFormat(LOCALE, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
});

const utcDay = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const day = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric' });

/** Formats a time in UTC, such as `21:30:00 UTC`, with the day if it is another one in UTC; '' if the user's zone is UTC. */
export function utcWords(at: Date): string {
  if (ZONE === 'UTC') return '';
  const isOtherDay = utcDay.format(at) !== day.format(at);
  return `${isOtherDay ? `${utcDay.format(at)} ` : ''}${utcTime.format(at)} UTC`;
}

interface TimeTextProps {
  /** ISO time. */
  iso: string;
  /** `date-time` shows date and time; `clock` shows the time with milliseconds, without the date. */
  as?: 'date-time' | 'clock';
  /** True to show the time zone. Leave it out if a column heading already names the zone. */
  zone?: boolean;
  /** True to add the time in UTC on a line of its own. */
  utc?: boolean;
}

/** Shows a time in the user's time zone. */
export function TimeText({ iso, as = 'date-time', zone = false, utc = false }: TimeTextProps) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return <>{iso}</>;
  return (
    <time className="time" dateTime={iso} title={`${iso} (shown in ${ZONE})`}>
      {as === 'clock' ? (
        clock.format(at)
      ) : (
        <>
          <span>{date.format(at)}</span>{' '}
          <span>
            {time.format(at)}
            {zone && ` ${ZONE}`}
          </span>
          {utc && <span className="cell-sub">{utcWords(at)}</span>}
        </>
      )}
    </time>
  );
}
