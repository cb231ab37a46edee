import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import type { Dashboard, Execution, Listed } from '../entities.js';
import { QUERY_KEYS } from '../query-keys.js';

/** Runs are pushed; workers, storage and the free worker are not. */
const REFRESH_MS = 5_000;

const dashboardQuery = queryOptions({
  queryKey: QUERY_KEYS.dashboard,
  queryFn: ({ signal }) => unwrap(api.GET('/joint-api/dashboard', { signal })),
  refetchInterval: REFRESH_MS,
});

const recentRuns = ({ recent_runs: items }: Dashboard): Listed<Execution> => ({ total: items.length, items });

export const useDashboard = () => useQuery(dashboardQuery);

/** The newest runs of the same answer. */
export const useDashboardRuns = () => useQuery({ ...dashboardQuery, select: recentRuns });
