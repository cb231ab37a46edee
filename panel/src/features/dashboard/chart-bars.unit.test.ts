import { hourBars } from './chart-bars.js';

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
