import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { ChangeKind } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';

/** How often a run is asked again whether its rows have become items. */
const REFRESH_MS = 3_000;

interface ChangesQuery {
  limit: number;
  skip: number;
  kind?: ChangeKind;
  field?: string;
}

const runChangesQuery = (id: string, query: ChangesQuery, isLive: boolean) =>
  queryOptions({
    queryKey: ['run-changes', id, query],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skript-execution/{skriptExecution_id}/changes', {
          params: { path: { skriptExecution_id: id }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (isLive || data?.state === 'waiting' ? REFRESH_MS : false),
  });

/** How the rows of a run differ from those of earlier runs. It follows a run that is not merged yet. */
export const useRunChanges = (id: string, query: ChangesQuery, isLive: boolean) =>
  useQuery(runChangesQuery(id, query, isLive));

const comparisonQuery = (id: string, otherId: string, target: string | undefined) =>
  queryOptions({
    queryKey: ['run-comparison', id, otherId, target],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skript-execution/{skriptExecution_id}/comparison/{other_execution_id}', {
          params: { path: { skriptExecution_id: id, other_execution_id: otherId }, query: { target } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/**
 * The rows of a run compared with those of another one, which counts as the earlier.
 *
 * @param target one of `targets` of the answer; undefined for the first
 */
export const useRowComparison = (id: string, otherId: string, target?: string) =>
  useQuery(comparisonQuery(id, otherId, target));
