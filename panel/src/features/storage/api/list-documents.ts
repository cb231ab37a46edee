import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { Listed, MongoDocument } from '../../../api/entities.js';

export interface DocumentsQuery {
  db_id: string;
  collection: string;
  limit?: number;
  skip?: number;
  sort?: string;
}

const documentsQuery = ({ db_id, collection, ...query }: DocumentsQuery) =>
  queryOptions({
    queryKey: ['mongo', db_id, collection, query],
    queryFn: async ({ signal }): Promise<Listed<MongoDocument>> =>
      unwrap(
        api.GET('/joint-api/mongo/{db_id}/{collection}/list', {
          params: { path: { db_id, collection }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const useDocuments = (query: DocumentsQuery) => useQuery(documentsQuery(query));
