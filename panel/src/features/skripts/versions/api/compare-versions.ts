import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../../api/client.js';
import { QUERY_KEYS } from '../../../../api/query-keys.js';

/** Sent instead of a version's hash to compare with the files as they are saved now. */
const CURRENT = 'current';

const comparisonQuery = (skriptId: string, from: string) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.skripts, 'comparison', skriptId, from],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skripts/{skript_id}/versions/compare', {
          params: { path: { skript_id: skriptId }, query: { from, to: CURRENT } },
          signal,
        }),
      ),
  });

/** Loads the differences between a version and the files as they are saved now. */
export const useComparison = (skriptId: string, from: string) => useQuery(comparisonQuery(skriptId, from));
