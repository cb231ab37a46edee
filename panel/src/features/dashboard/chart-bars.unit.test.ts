import { axisTop, hourBars } from './chart-bars.js';

it.each([
  [0, 1],
  [1, 1],
  [3, 5],
  [11, 20],
  [50, 50],
  [501, 1000],
])('the axis of a chart with values up to %i ends at %i', (max, top) => {
  expect(axisTop(max)).toBe(top);
});

it('the chart of runs counts started and paused runs as live', () => {
  const hour = {
    hour: 'h',
    start: 1,
    pause: 2,
    stop: 3,
    end: 4,
    error: 5,
    rows: 6,
    wait_ms_median: 12,
    wait_ms_max: 20,
  };
  expect(hourBars([hour])).toEqual([
    { hour: 'h', counts: { error: 5, end: 4, stop: 3, live: 3 }, total: 15, rows: 6, waitMs: 12 },
  ]);
});
