import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../../api/client.js';
import { QUERY_KEYS } from '../../../../api/query-keys.js';

const comparisonQuery = (skriptId: string, from: string, to: string) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.skripts, 'comparison', skriptId, from, to],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skripts/{skript_id}/versions/compare', {
          params: { path: { skript_id: skriptId }, query: { from, to } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** Loads the differences between two versions. A side is the hash of a version, or `CURRENT`. */
export const useComparison = (skriptId: string, from: string, to: string) =>
  useQuery(comparisonQuery(skriptId, from, to));
