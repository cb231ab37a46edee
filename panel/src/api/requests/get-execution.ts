import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { isLive } from '@trawl/contracts';
import { api, unwrap } from '../client.js';
import type { Execution } from '../entities.js';
import { QUERY_KEYS } from '../query-keys.js';

const ISSUE_MS = 1_000;
/** How long after its end a failed run may have no issue yet. Runs of older releases never have one. */
const ISSUE_DELAY_MS = 15_000;

/** An issue counts a failed run about a second after its end, without a live update. So ask again. */
const issueInterval = (run: Execution | undefined) =>
  run?.action === 'error' &&
  run.issue_id === null &&
  Date.now() - Date.parse(run.updated_at) < ISSUE_DELAY_MS &&
  ISSUE_MS;

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
    refetchInterval: ({ state }) => issueInterval(state.data),
  });

/** How often a live run is read again: live updates say nothing about its rows. */
const FOLLOWED_MS = 2_000;

/** One run. While it is live, its numbers of rows are kept up to date. */
export function useFollowedExecution(executionId: string) {
  return useQuery({
    ...executionQuery(executionId),
    refetchInterval: ({ state }) => (state.data && isLive(state.data.action) ? FOLLOWED_MS : issueInterval(state.data)),
  });
}

export const useExecution = (executionId: string) => useQuery(executionQuery(executionId));
