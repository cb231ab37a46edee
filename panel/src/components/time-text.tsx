/** The panel is in British English, and so are its dates, whatever the browser speaks. */
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

/** The reader's zone as a short name, such as "CET" or "UTC". */
export const ZONE =
  new Intl.DateTimeFormat(LOCALE, { timeZoneName: 'short' })
    .formatToParts(new Date())
    .find(part => part.type === 'timeZoneName')?.value ?? 'local time';

/** Date, time and zone as one text, for where no element can stand. `iso`: ISO time. */
export function timeWords(iso: string): string {
  const at = new Date(iso);
  return `${date.format(at)} ${time.format(at)} ${ZONE}`;
}

interface TimeTextProps {
  /** ISO time. */
  iso: string;
  /** `clock` leaves the date out and adds milliseconds. */
  as?: 'date-time' | 'clock';
  /** Off where a column's heading names it. */
  zone?: boolean;
}

/** A time in the reader's zone. */
export function TimeText({ iso, as = 'date-time', zone = false }: TimeTextProps) {
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
        </>
      )}
    </time>
  );
}
