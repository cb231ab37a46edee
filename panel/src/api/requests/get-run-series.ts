import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

const REFRESH_MS = 30_000;

/** Runs by the hour: those of the account, or for administrators those of all accounts. */
const runSeriesQuery = (hours: number, ofPlatform: boolean) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.dashboard, 'series', hours, ofPlatform],
    queryFn: ({ signal }) => {
      const options = { params: { query: { hours } }, signal };
      return unwrap(
        ofPlatform
          ? api.GET('/joint-api/dashboard/platform-series', options)
          : api.GET('/joint-api/dashboard/series', options),
      );
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const useRunSeries = (hours: number, ofPlatform = false) => useQuery(runSeriesQuery(hours, ofPlatform));
