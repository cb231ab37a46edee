import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

/** Where a run's pages have the values of a field that became empty. Loads only if `isOn`, because it takes seconds. */
export const useSuggestedSelectors = (executionId: string, field: string, target: string, isOn: boolean) =>
  useQuery({
    queryKey: [...QUERY_KEYS.executions, executionId, 'selectors', target, field],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skript-execution/{skriptExecution_id}/selectors', {
          params: { path: { skriptExecution_id: executionId }, query: { field, target } },
          signal,
        }),
      ),
    enabled: isOn,
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * Where a run's pages have the rows that it has not found. Loads only if `isOn`, because it takes seconds.
 *
 * @param target if undefined, where the last good run stored rows
 */
export const useRowSelectors = (executionId: string, target: string | undefined, isOn: boolean) =>
  useQuery({
    queryKey: [...QUERY_KEYS.executions, executionId, 'row-selectors', target],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skript-execution/{skriptExecution_id}/row-selectors', {
          params: { path: { skriptExecution_id: executionId }, query: target === undefined ? {} : { target } },
          signal,
        }),
      ),
    enabled: isOn,
    staleTime: Number.POSITIVE_INFINITY,
  });

export type Suggested = NonNullable<ReturnType<typeof useSuggestedSelectors>['data']>['items'][number];
