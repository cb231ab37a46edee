import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

interface VersionsQuery {
  limit: number;
  skip: number;
  sort: string;
}

/** Its key begins with the key of the skripts. So versions are reloaded with the skripts, as a change may add one. */
const versionsQuery = (skriptId: string, query: VersionsQuery) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.skripts, 'versions', skriptId, query],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skripts/{skript_id}/versions/list', {
          params: { path: { skript_id: skriptId }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const useVersions = (skriptId: string, query: VersionsQuery) => useQuery(versionsQuery(skriptId, query));
