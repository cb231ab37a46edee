import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { notifyError, notifySuccess } from '../../../components/feedback/notify.js';

export const useDeleteUser = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (userId: string) =>
      unwrap(api.DELETE('/joint-api/users/{user_id}', { params: { path: { user_id: userId } } })),
    onSuccess: () => {
      notifySuccess('The account is deleted.');
      return queryClient.invalidateQueries({ queryKey: QUERY_KEYS.users });
    },
    onError: error => notifyError('The account could not be deleted', error),
  });
};
