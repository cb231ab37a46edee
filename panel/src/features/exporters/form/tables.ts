import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { TABLES_KEY } from '../../../api/storage-keys.js';

const tablesQuery = queryOptions({
  queryKey: [...TABLES_KEY, 'all'],
  queryFn: ({ signal }) =>
    unwrap(api.GET('/joint-api/postgres-tables/list', { params: { query: { limit: 1000 } }, signal })),
});

export const useTables = () => useQuery(tablesQuery);
