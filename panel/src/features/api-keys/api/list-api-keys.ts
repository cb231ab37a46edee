import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';

export const API_KEYS_KEY = ['api-keys'] as const;

interface ApiKeysQuery {
  limit: number;
  skip: number;
  sort: string;
}

const apiKeysQuery = (query: ApiKeysQuery) =>
  queryOptions({
    queryKey: [...API_KEYS_KEY, query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/keys/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const useApiKeys = (query: ApiKeysQuery) => useQuery(apiKeysQuery(query));
