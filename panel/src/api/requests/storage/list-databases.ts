import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../client.js';
import { databasesKey } from '../../storage-keys.js';

interface DatabasesQuery {
  limit?: number;
  skip?: number;
  sort?: string;
  /** True for the databases that administrators share. */
  shared?: boolean;
}

const databasesQuery = (query: DatabasesQuery) =>
  queryOptions({
    queryKey: databasesKey('list', query),
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/mongo-databases/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const useDatabases = (query: DatabasesQuery, { isWanted = true } = {}) =>
  useQuery({ ...databasesQuery(query), enabled: isWanted });
