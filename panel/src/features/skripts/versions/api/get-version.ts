import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../../api/client.js';
import { QUERY_KEYS } from '../../../../api/query-keys.js';

/** One version with the contents of its files. */
export const versionQuery = (skriptId: string, hash: string) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.skripts, 'version', skriptId, hash],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skripts/{skript_id}/versions/{hash}', {
          params: { path: { skript_id: skriptId, hash } },
          signal,
        }),
      ),
  });

export const useVersion = (skriptId: string, hash: string) => useQuery(versionQuery(skriptId, hash));
