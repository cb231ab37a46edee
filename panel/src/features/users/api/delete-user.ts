import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { noticeDone, noticeFailed } from '../../../components/notices.js';

export const useDeleteUser = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (userId: string) =>
      unwrap(api.DELETE('/joint-api/users/{user_id}', { params: { path: { user_id: userId } } })),
    onSuccess: () => {
      noticeDone('The account is deleted.');
      return queryClient.invalidateQueries({ queryKey: QUERY_KEYS.users });
    },
    onError: error => noticeFailed('The account could not be deleted', error),
  });
};
