import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';

export interface DatabasesQuery {
  limit?: number;
  skip?: number;
  sort?: string;
}

const databasesQuery = (query: DatabasesQuery) =>
  queryOptions({
    queryKey: ['mongo-databases', query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/mongo-databases/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const useDatabases = (query: DatabasesQuery) => useQuery(databasesQuery(query));

/** Returns the name of a database, or "Database" if it is not in the loaded list. */
export const useDatabaseName = (databaseId: string): string =>
  useDatabases({ limit: 1000, sort: 'name' }).data?.items.find(({ id }) => id === databaseId)?.name ?? 'Database';
