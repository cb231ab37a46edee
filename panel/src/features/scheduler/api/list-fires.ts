import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { FireOutcome } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

const REFRESH_MS = 10_000;

interface FiresQuery {
  limit: number;
  skip: number;
  sort: string;
  outcome?: FireOutcome;
}

const firesQuery = (scheduleId: string, query: FiresQuery) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.schedules, 'fires', scheduleId, query],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/schedules/{schedule_id}/fires/list', {
          params: { path: { schedule_id: scheduleId }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const useFires = (scheduleId: string, query: FiresQuery) => useQuery(firesQuery(scheduleId, query));
