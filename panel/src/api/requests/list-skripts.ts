import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

export interface SkriptsQuery {
  limit?: number;
  skip?: number;
  sort?: string;
  title_contains?: string;
  category?: string;
}

export const skriptsQuery = (query: SkriptsQuery) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.skripts, 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/skripts/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const useSkripts = (query: SkriptsQuery) => useQuery(skriptsQuery(query));
