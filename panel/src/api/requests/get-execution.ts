import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

const ISSUE_MS = 1_000;
/** How long after its end a failed run may have no issue yet. Runs of older releases never have one. */
const ISSUE_DELAY_MS = 15_000;

/** One run with its output. Does nothing while `executionId` is empty. */
export const executionQuery = (executionId: string) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.executions, 'one', executionId],
    queryFn:
      executionId === ''
        ? skipToken
        : ({ signal }) =>
            unwrap(
              api.GET('/joint-api/skript-execution/{skriptExecution_id}', {
                params: { path: { skriptExecution_id: executionId } },
                signal,
              }),
            ),
    // An issue counts a failed run about a second after its end, without a live update. So ask again.
    refetchInterval: ({ state: { data } }) =>
      data?.action === 'error' &&
      data.issue_id === null &&
      Date.now() - Date.parse(data.updated_at) < ISSUE_DELAY_MS &&
      ISSUE_MS,
  });

export const useExecution = (executionId: string) => useQuery(executionQuery(executionId));
