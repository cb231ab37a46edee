import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { notifyError, notifySuccess } from '../../../components/feedback/notify.js';

export const useDeleteWorker = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (workerId: string) =>
      unwrap(api.DELETE('/joint-api/workers/{worker_id}', { params: { path: { worker_id: workerId } } })),
    onSuccess: () => {
      notifySuccess('The worker is deleted.');
      return queryClient.invalidateQueries({ queryKey: QUERY_KEYS.workers });
    },
    onError: error => notifyError('The worker could not be deleted', error),
  });
};
