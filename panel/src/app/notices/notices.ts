import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.js';
import { QUERY_KEYS } from '../../api/query-keys.js';

const SHOWN = 50;

/** Below the key of the account: what tells of new notices invalidates both. */
const noticesQuery = queryOptions({
  queryKey: [...QUERY_KEYS.account, 'notices'],
  queryFn: ({ signal }) =>
    unwrap(api.GET('/joint-api/account/notices/list', { params: { query: { limit: SHOWN } }, signal })),
});

export const useNotices = () => useQuery(noticesQuery);

/** Marks all notices as read. The list is not loaded again, so that it still shows which ones are new. */
export function useReadNotices() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.POST('/joint-api/account/notices/read')),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.account, exact: true }),
  });
}
