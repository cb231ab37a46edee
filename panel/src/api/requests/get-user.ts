import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

/** One account, for administrators. Does nothing while `userId` is empty. */
const userQuery = (userId: string) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.users, 'one', userId],
    queryFn:
      userId === ''
        ? skipToken
        : ({ signal }) =>
            unwrap(api.GET('/joint-api/users/{user_id}', { params: { path: { user_id: userId } }, signal })),
  });

export const useUser = (userId: string) => useQuery(userQuery(userId));
