import type { RunHour } from '../../api/entities.js';
import { changeText, rowsOfDays, runsOfDays } from './trends.js';

/** The last 48 hours, until 02:30 UTC on 3 March, with `runs` and ten times as many rows in each. */
const hoursWith = (runs: (hour: string) => number): RunHour[] =>
  Array.from({ length: 48 }, (_, index) => {
    const hour = new Date(Date.UTC(2026, 2, 1, 3 + index)).toISOString();
    const counts = { start: 0, pause: 0, stop: 0, error: 0, end: runs(hour), rows: 10 * runs(hour) };
    return { hour, ...counts, wait_ms_median: null, wait_ms_max: null };
  });

it('rows of the last 24 hours are compared with those of the 24 hours before', () => {
  expect(rowsOfDays(hoursWith(hour => (hour < '2026-03-02T03' ? 1 : 2)))).toEqual({ now: 480, before: 240 });
});

it('runs of the full hours of today are compared with those of the same hours yesterday', () => {
  const runs: Record<string, number> = {
    '2026-03-03T00': 5,
    '2026-03-03T01': 4,
    // The present hour has not ended, so it is not compared.
    '2026-03-03T02': 100,
    '2026-03-02T00': 2,
    '2026-03-02T01': 1,
    '2026-03-02T02': 50,
  };
  expect(runsOfDays(hoursWith(hour => runs[hour.slice(0, 13)] ?? 0))).toEqual({ now: 9, before: 3 });
});

it('nothing is compared without hours', () => {
  expect([rowsOfDays([]), runsOfDays([])]).toEqual([
    { now: 0, before: 0 },
    { now: 0, before: 0 },
  ]);
});

it('hours that do not go back a whole day are compared with nothing', () => {
  const hours = hoursWith(() => 1).slice(-20);
  expect([rowsOfDays(hours), runsOfDays(hours)]).toEqual([
    { now: 200, before: 0 },
    { now: 2, before: 0 },
  ]);
});

it.each([
  [12, 10, '+20 %'],
  [8, 10, '−20 %'],
  [10, 10, '±0 %'],
  [0, 10, '−100 %'],
  [2_000, 1, '+199,900 %'],
  [5, 0, ''],
])('a change to %d from %d is %s', (now, before, text) => {
  expect(changeText({ now, before })).toBe(text);
});
