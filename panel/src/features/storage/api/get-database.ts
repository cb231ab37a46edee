import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { databasesKey } from '../../../api/storage-keys.js';

/** A database with its size, which MongoDB measures on each call. */
const databaseQuery = (databaseId: string) =>
  queryOptions({
    queryKey: databasesKey('one', databaseId),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/mongo-databases/{db_id}', { params: { path: { db_id: databaseId } }, signal })),
  });

export const useDatabase = (databaseId: string) => useQuery(databaseQuery(databaseId));

/** Whether an administrator shares the database for reading, so that the user cannot change it. */
export const useIsReadOnly = (databaseId: string): boolean => useDatabase(databaseId).data?.read_only === true;
