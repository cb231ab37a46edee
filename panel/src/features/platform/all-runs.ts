import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { Action } from '@trawl/contracts';
import { api, unwrap } from '../../api/client.js';

const REFRESH_MS = 5_000;

interface AllRunsQuery {
  limit: number;
  skip: number;
  sort: string;
  user_id?: string;
  worker_id?: string;
  action?: Action;
  created_from?: string;
  created_to?: string;
}

const allRunsQuery = (query: AllRunsQuery) =>
  queryOptions({
    queryKey: ['all-runs', query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/skript-execution/list-all', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    // The live socket sends administrators only their own runs.
    refetchInterval: REFRESH_MS,
  });

/** The runs of all accounts, for administrators. */
export const useAllRuns = (query: AllRunsQuery) => useQuery(allRunsQuery(query));
