import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

/** Interval of polling. The live socket only pushes runs, so workers, storage and the free worker need polling. */
const REFRESH_MS = 5_000;

const dashboardQuery = queryOptions({
  queryKey: QUERY_KEYS.dashboard,
  queryFn: ({ signal }) => unwrap(api.GET('/joint-api/dashboard', { signal })),
  refetchInterval: REFRESH_MS,
});

export const useDashboard = () => useQuery(dashboardQuery);
