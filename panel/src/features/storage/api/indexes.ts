import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { MongoIndexBody } from '../../../api/entities.js';
import { affectedByDocuments, indexesKey } from '../../../api/storage-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

const indexesQuery = (databaseId: string, collection: string) =>
  queryOptions({
    queryKey: indexesKey(databaseId, collection),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/mongo-collections/{db_id}/{collection}/indexes/list', {
          params: { path: { db_id: databaseId, collection } },
          signal,
        }),
      ),
  });

export const useIndexes = (databaseId: string, collection: string) => useQuery(indexesQuery(databaseId, collection));

export const useCreateIndex = (databaseId: string, collection: string) =>
  useChange({
    send: (body: MongoIndexBody) =>
      unwrap(
        api.POST('/joint-api/mongo-collections/{db_id}/{collection}/indexes/addnew', {
          params: { path: { db_id: databaseId, collection } },
          body,
        }),
      ),
    reload: [indexesKey(databaseId, collection), ...affectedByDocuments(databaseId)],
    done: ({ name }) => `The index ${name} is built.`,
  });

export const useDropIndex = (databaseId: string, collection: string) =>
  useChange({
    send: (name: string) =>
      unwrap(
        api.DELETE('/joint-api/mongo-collections/{db_id}/{collection}/indexes/{index_name}', {
          params: { path: { db_id: databaseId, collection, index_name: name } },
        }),
      ),
    reload: [indexesKey(databaseId, collection), ...affectedByDocuments(databaseId)],
    done: (_, name) => `The index ${name} is deleted. Its documents stay.`,
    failed: 'The index could not be deleted',
  });
