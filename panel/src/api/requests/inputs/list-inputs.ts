import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../client.js';

/** All inputs of a skript. Does nothing while `skriptId` is empty. */
export const inputsQuery = (skriptId: string) =>
  queryOptions({
    queryKey: ['inputs', skriptId],
    queryFn:
      skriptId === ''
        ? skipToken
        : ({ signal }) =>
            unwrap(
              api.GET('/joint-api/inputs/list', {
                params: { query: { skript_id: skriptId, sort: 'name', limit: 1000 } },
                signal,
              }),
            ),
  });

export const useInputs = (skriptId: string) => useQuery(inputsQuery(skriptId));
