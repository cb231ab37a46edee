import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

/** Interval of polling, so that the message of a maintenance appears without a reload. */
const REFRESH_MS = 60_000;

export const accountQuery = queryOptions({
  queryKey: QUERY_KEYS.account,
  queryFn: ({ signal }) => unwrap(api.GET('/joint-api/account', { signal })),
  refetchInterval: REFRESH_MS,
});

/** The signed-in account with its quotas, and the maintenance of the platform if there is one. */
export const useAccount = () => useQuery(accountQuery);
