import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

/** The newest runs of each skript, for the strips of bars. Does nothing without skripts. */
const latestRunsQuery = (skriptIds: string[]) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.executions, 'latest', skriptIds],
    queryFn:
      skriptIds.length === 0
        ? skipToken
        : ({ signal }) =>
            unwrap(
              api.GET('/joint-api/skript-execution/latest-by-skript', {
                params: { query: { skript_ids: skriptIds.join(',') } },
                signal,
              }),
            ),
    placeholderData: keepPreviousData,
  });

export const useLatestRuns = (skriptIds: string[]) => useQuery(latestRunsQuery(skriptIds));
