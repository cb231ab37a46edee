import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

/** The next five fires of a cron span. Does nothing while the span is empty. */
const previewQuery = (cronSpan: string, timeZone: string) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.schedules, 'preview', cronSpan, timeZone],
    queryFn:
      cronSpan === ''
        ? skipToken
        : ({ signal }) =>
            unwrap(
              api.GET('/joint-api/schedules/preview', {
                params: { query: { cron_span: cronSpan, time_zone: timeZone } },
                signal,
              }),
            ),
    placeholderData: keepPreviousData,
    retry: false,
  });

export const usePreview = (cronSpan: string, timeZone: string) => useQuery(previewQuery(cronSpan, timeZone));
