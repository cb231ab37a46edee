import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { noticeDone, noticeFailed } from '../../../components/notices.js';

export const useDeleteWorker = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (workerId: string) =>
      unwrap(api.DELETE('/joint-api/workers/{worker_id}', { params: { path: { worker_id: workerId } } })),
    onSuccess: () => {
      noticeDone('The worker is deleted.');
      return queryClient.invalidateQueries({ queryKey: QUERY_KEYS.workers });
    },
    onError: error => noticeFailed('The worker could not be deleted', error),
  });
};
