import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';

export interface CollectionsQuery {
  db_id: string;
  limit?: number;
  skip?: number;
}

const collectionsQuery = ({ db_id, ...query }: CollectionsQuery) =>
  queryOptions({
    queryKey: ['mongo-collections', db_id, query],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/mongo-collections/{db_id}/list', { params: { path: { db_id }, query }, signal })),
    placeholderData: keepPreviousData,
  });

export const useCollections = (query: CollectionsQuery) => useQuery(collectionsQuery(query));
