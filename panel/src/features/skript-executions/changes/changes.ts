import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import type { ChangeKind } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';
import type { Execution } from '../../../api/entities.js';

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

const comparisonQuery = (id: string, otherId: string, target?: string) =>
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

/**
 * The rows of a replay and of its original, in the dataset and all collections and tables, once the replay has ended well.
 *
 * @returns `all` has the rows of both, and those that only one of them has
 */
export function useReplayedRows({ id, replay_of: original, action }: Execution) {
  const first = useQuery({ ...comparisonQuery(id, original ?? ''), enabled: original !== null && action === 'end' });
  const targets = (first.data?.targets ?? []).filter(target => target !== first.data?.target);
  const others = useQueries({ queries: targets.map(target => comparisonQuery(id, original ?? '', target)) });
  const queries = [first, ...others];
  const compared = queries.flatMap(({ data }) => data ?? []);
  if (compared.length < queries.length) return { isError: queries.some(({ isError }) => isError), rows: null };
  return {
    isError: false,
    rows: {
      equal: compared.reduce((sum, { equal }) => sum + equal, 0),
      all: compared.reduce((sum, { equal, changed, added, gone }) => sum + equal + changed + added + gone, 0),
      complete: compared.every(({ was, now }) => was.complete && now.complete),
    },
  };
}
