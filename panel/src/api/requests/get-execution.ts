import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

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
  });

export const useExecution = (executionId: string) => useQuery(executionQuery(executionId));
