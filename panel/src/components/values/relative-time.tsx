import { useSyncExternalStore } from 'react';
import { timeWords, utcWords } from './time-text.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The clock of the server may be this far ahead. */
const SKEW_MS = 30_000;
/** Further away than this, a time is shown as a date. */
const LONGEST_MS = 7 * DAY_MS;
const TICK_MS = 10_000;

const away = new Intl.RelativeTimeFormat('en-GB', { style: 'short' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** Returns a time as seen from `now`, such as `5 min ago`, `in 2 hr`, or `12 Oct` if it is more than a week away. */
export function relativeWords(iso: string, now: number): string {
  const at = new Date(iso);
  const ms = at.getTime() - now;
  const distance = Math.abs(ms);
  if (ms > 0 && ms < SKEW_MS) return 'now';
  if (distance < MINUTE_MS) return ms > 0 ? 'in a minute' : 'just now';
  if (distance < HOUR_MS) return away.format(Math.trunc(ms / MINUTE_MS), 'minute');
  if (distance < DAY_MS) return away.format(Math.trunc(ms / HOUR_MS), 'hour');
  if (distance < LONGEST_MS) return away.format(Math.trunc(ms / DAY_MS), 'day');
  return at.getFullYear() === new Date(now).getFullYear() ? day.format(at) : dayOfYear.format(at);
}

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all times of a page. */
function subscribe(listener: () => void): () => void {
  // The last timer may have stopped long ago.
  if (listeners.size === 0) now = Date.now();
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const tell of listeners) tell();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/**
 * Shows how far away a time is. The exact time with its zone is in the tooltip, below the time in opened and in comfortable
 * rows, and is what screen readers say.
 */
export function RelativeTime({ iso }: { iso: string }) {
  const ticked = useSyncExternalStore(subscribe, () => now);
  // A time may be later than the last tick.
  const shownAt = Math.max(ticked, Date.now());
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return <>{iso}</>;
  const utc = utcWords(at);
  const exact = `${timeWords(iso)}${utc && ` (${utc})`}`;
  return (
    <time className="time" dateTime={iso} title={exact}>
      <span aria-hidden="true">{relativeWords(iso, shownAt)}</span>
      <span className="visually-hidden">{exact}</span>
    </time>
  );
}
