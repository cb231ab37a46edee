import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

/** One skript. Does nothing while `skriptId` is empty. */
export const skriptQuery = (skriptId: string) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.skripts, 'one', skriptId],
    queryFn:
      skriptId === ''
        ? skipToken
        : ({ signal }) =>
            unwrap(api.GET('/joint-api/skripts/{skript_id}', { params: { path: { skript_id: skriptId } }, signal })),
  });

export const useSkript = (skriptId: string) => useQuery(skriptQuery(skriptId));
