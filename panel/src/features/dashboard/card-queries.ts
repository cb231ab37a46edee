import { useDashboard } from '../../api/requests/get-dashboard.js';
import { useRunSeries } from '../../api/requests/get-run-series.js';
import { useSchedules } from '../../api/requests/list-schedules.js';
import { useUrlParams } from '../../components/list/url-params.js';

export const SHOWN_SCHEDULES = 5;

/** How far back the chart can go. */
export const RANGES = [
  { value: '24', label: '24 hours' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
];

/** The figures compare a day with the one before. The chart of a day shares their request. */
const FIGURE_HOURS = 48;

/** Runs by the hour for the figures. */
export const useFigureSeries = (ofPlatform = false) => useRunSeries(FIGURE_HOURS, ofPlatform);

/** Runs by the hour for the chart, which shows the last `range` of these hours. */
export const useChartSeries = (range: string, ofPlatform = false) =>
  useRunSeries(Math.max(FIGURE_HOURS, Number(range)), ofPlatform);

/** Returns the chosen range of the chart, which is in the address. */
export function useChartRange(): string {
  const params = useUrlParams();
  return RANGES.find(({ value }) => value === params.get('hours'))?.value ?? '24';
}

export const useNextSchedules = () => useSchedules({ enabled: true, sort: 'next_fire_at', limit: SHOWN_SCHEDULES });

/** The cards of the dashboard, each with its request. Requests for the same data are sent once. */
export function useCardQueries() {
  const figures = useDashboard();
  return [
    { card: 'figures', query: figures },
    { card: 'open issues', query: figures },
    { card: 'runs', query: figures },
    { card: 'chart', query: useChartSeries(useChartRange()) },
    { card: 'schedules', query: useNextSchedules() },
  ];
}
