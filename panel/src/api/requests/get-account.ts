import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

/** The free worker comes without a push. */
const REFRESH_MS = 30_000;

const accountQuery = queryOptions({
  queryKey: QUERY_KEYS.account,
  queryFn: ({ signal }) => unwrap(api.GET('/joint-api/account', { signal })),
  refetchInterval: REFRESH_MS,
});

export const useAccount = () => useQuery(accountQuery);
