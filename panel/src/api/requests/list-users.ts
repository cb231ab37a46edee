import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { Role } from '@trawl/contracts';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

export interface UsersQuery {
  limit?: number;
  skip?: number;
  sort?: string;
  name_contains?: string;
  role?: Role;
  disabled?: boolean;
}

const usersQuery = (query: UsersQuery) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.users, 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/users/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

/** For administrators. */
export const useUsers = (query: UsersQuery) => useQuery(usersQuery(query));
