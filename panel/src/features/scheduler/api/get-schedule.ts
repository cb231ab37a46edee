import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

const REFRESH_MS = 10_000;

/** One schedule with its next five fires. */
const scheduleQuery = (scheduleId: string) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.schedules, 'one', scheduleId],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/schedules/{schedule_id}', { params: { path: { schedule_id: scheduleId } }, signal })),
    refetchInterval: REFRESH_MS,
  });

export const useSchedule = (scheduleId: string) => useQuery(scheduleQuery(scheduleId));
