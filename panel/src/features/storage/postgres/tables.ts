import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { TABLES_KEY } from '../../../api/storage-keys.js';

interface PageQuery {
  limit: number;
  skip: number;
}

const tablesQuery = (query: PageQuery) =>
  queryOptions({
    queryKey: [...TABLES_KEY, 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/postgres-tables/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const useTables = (query: PageQuery) => useQuery(tablesQuery(query));

const tableQuery = (schema: string, table: string) =>
  queryOptions({
    queryKey: [...TABLES_KEY, 'one', schema, table],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/postgres-tables/{table}', { params: { path: { table }, query: { schema } }, signal })),
  });

/** A table with its columns. */
export const useTable = (schema: string, table: string) => useQuery(tableQuery(schema, table));

const rowsQuery = (schema: string, table: string, query: PageQuery & { sort?: string }) =>
  queryOptions({
    queryKey: [...TABLES_KEY, 'rows', schema, table, query],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/postgres-tables/{table}/rows', {
          params: { path: { table }, query: { schema, ...query } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** @param refreshMs interval after which the rows are read again; undefined if nothing but a change does */
export const useRows = (schema: string, table: string, query: PageQuery & { sort?: string }, refreshMs?: number) =>
  useQuery({ ...rowsQuery(schema, table, query), refetchInterval: refreshMs ?? false });
