import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

/** Interval of polling, because the server does not push changes of workers. */
const REFRESH_MS = 5_000;

export interface WorkersQuery {
  limit?: number;
  skip?: number;
  sort?: string;
  public?: boolean;
  group_id?: string;
  name_contains?: string;
}

const workersQuery = (query: WorkersQuery) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.workers, 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/apps/workers/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const useWorkers = (query: WorkersQuery) => useQuery(workersQuery(query));
