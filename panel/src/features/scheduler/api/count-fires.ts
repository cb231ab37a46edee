import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

const REFRESH_MS = 30_000;

/** The fires of schedules in each hour of the days from `from`. */
const fireHoursQuery = (scheduleIds: string[], from: string, hours: number) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.schedules, 'hours', scheduleIds, from],
    queryFn:
      scheduleIds.length === 0
        ? skipToken
        : ({ signal }) =>
            unwrap(
              api.GET('/joint-api/schedules/fires-by-hour', {
                params: { query: { schedule_ids: scheduleIds.join(','), from, hours } },
                signal,
              }),
            ),
    refetchInterval: REFRESH_MS,
  });

export const useFireHours = (scheduleIds: string[], from: string, hours: number) =>
  useQuery(fireHoursQuery(scheduleIds, from, hours));
