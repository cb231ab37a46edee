import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

export const useRotateWorkerKey = (workerId: string) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(api.POST('/joint-api/workers/{worker_id}/key', { params: { path: { worker_id: workerId } } })),
    // The response contains the key, which must not stay in the cache.
    gcTime: 0,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.workers }),
  });
};
