import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../client.js';
import { collectionsKey } from '../../storage-keys.js';

interface CollectionsQuery {
  limit?: number;
  skip?: number;
}

const collectionsQuery = (databaseId: string, query: CollectionsQuery) =>
  queryOptions({
    queryKey: collectionsKey(databaseId, query),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/mongo-collections/{db_id}/list', {
          params: { path: { db_id: databaseId }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const useCollections = (databaseId: string, query: CollectionsQuery) =>
  useQuery(collectionsQuery(databaseId, query));
