import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

/** Interval of polling, because the server does not push fires. */
const REFRESH_MS = 10_000;

export interface SchedulesQuery {
  limit?: number;
  skip?: number;
  sort?: string;
  skript_id?: string;
  name_contains?: string;
  enabled?: boolean;
}

const schedulesQuery = (query: SchedulesQuery) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.schedules, 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/schedules/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const useSchedules = (query: SchedulesQuery) => useQuery(schedulesQuery(query));
