import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

const REFRESH_MS = 30_000;

/** Runs by the hour. */
const runSeriesQuery = (hours: number) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.dashboard, 'series', hours],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/dashboard/series', { params: { query: { hours } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const useRunSeries = (hours: number) => useQuery(runSeriesQuery(hours));
