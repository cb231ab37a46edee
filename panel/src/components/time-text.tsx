const dateAndTime = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
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
  const date = new Date(iso);
  const text = Number.isNaN(date.getTime()) ? iso : (as === 'clock' ? clock : dateAndTime).format(date);
  return (
    <time className="tabular" dateTime={iso} title={`${iso} (shown in ${ZONE})`}>
      {text}
      {zone && ` ${ZONE}`}
    </time>
  );
}
