import type { RunHour } from '../../api/entities.js';

export const DAY_HOURS = 24;

/** A number of now, and the one that it is compared with: 0 if the hours do not go back so far, after very many runs. */
export interface Compared {
  now: number;
  before: number;
}

const sumOf = (hours: readonly RunHour[], figureOf: (hour: RunHour) => number): number =>
  hours.reduce((sum, hour) => sum + figureOf(hour), 0);

const runsOf = ({ start, pause, stop, end, error }: RunHour): number => start + pause + stop + end + error;

/** Compares the rows of the last day with those of the day before. */
export const rowsOfDays = (hours: readonly RunHour[]): Compared => ({
  now: sumOf(hours.slice(-DAY_HOURS), ({ rows }) => rows),
  before: hours.length < 2 * DAY_HOURS ? 0 : sumOf(hours.slice(0, -DAY_HOURS), ({ rows }) => rows),
});

/** Compares the runs of the full hours of today (UTC) with those of the same hours yesterday. */
export function runsOfDays(hours: readonly RunHour[]): Compared {
  const full = hours.slice(0, -1);
  const today = hours.at(-1)?.hour.slice(0, 'YYYY-MM-DD'.length) ?? '';
  const passed = full.filter(({ hour }) => hour.startsWith(today)).length;
  const [from, to] = [full.length - passed, full.length];
  return {
    now: sumOf(full.slice(from, to), runsOf),
    before: from < DAY_HOURS ? 0 : sumOf(full.slice(from - DAY_HOURS, to - DAY_HOURS), runsOf),
  };
}

/** Says by how much a number has changed, such as `+20 %`; '' if there is nothing to compare it with. */
export function changeText({ now, before }: Compared): string {
  if (before === 0) return '';
  const percent = Math.round(((now - before) / before) * 100);
  const sign = percent > 0 ? '+' : percent < 0 ? '−' : '±';
  return `${sign}${Math.abs(percent).toLocaleString('en-GB')} %`;
}
