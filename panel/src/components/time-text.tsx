const date = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });

const time = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

/** The reader's zone as a short name, such as "CET" or "UTC". */
export const ZONE =
  new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' })
    .formatToParts(new Date())
    .find(part => part.type === 'timeZoneName')?.value ?? 'local time';

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
