import { screen, within } from '@testing-library/react';
import { showScreen } from '../../../test-screen.js';
import { RunsChart } from './runs-chart.js';

const PATH = 'GET /joint-api/dashboard/series';
const RUNS = { start: 1, pause: 0, stop: 0, end: 4, error: 2, wait_ms_median: 1_000, wait_ms_max: 2_000 };
const HOURS = [
  { ...RUNS, hour: '2026-03-01T08:00:00.000Z', rows: 1_240 },
  { ...RUNS, hour: '2026-03-01T09:00:00.000Z', rows: 0 },
];

async function showChart(): Promise<HTMLElement> {
  showScreen(<RunsChart />, { [PATH]: { body: { hours: HOURS } } });
  await screen.findByText('As a table');
  return screen.getByRole('region', { name: 'Runs by the hour' });
}

it('the chart of runs says in words and in a table how many rows the runs stored', async () => {
  const chart = await showChart();
  expect(within(chart).getByText(/^14 runs, 4 with an error. 1,240 rows stored. Longest median wait/)).toBeTruthy();
  const [head, newest, oldest] = within(chart)
    .getAllByRole('row')
    .map(row => [...row.querySelectorAll('th, td')].map(cell => cell.textContent));
  const column = head?.indexOf('rows stored') ?? -1;
  expect([newest?.[column], oldest?.[column]]).toEqual(['0', '1,240']);
});

it('the chart of runs draws stored rows on an axis of their own', async () => {
  const chart = await showChart();
  const bars = [...chart.querySelectorAll('[data-part="rows"]')];
  expect(bars.map(bar => Number(bar.getAttribute('height')))).toEqual([62]);
  expect(bars[0]?.parentElement?.querySelector('title')?.textContent).toMatch(/: 1,240 rows$/);
  const axes = [...chart.querySelectorAll('.chart-axis')].map(axis => axis.textContent?.toLowerCase());
  expect(axes).toEqual(['1050', '2k1k0']);
});
