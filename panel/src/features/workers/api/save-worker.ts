import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

export interface WorkerBody {
  name: string;
  public: boolean;
}

/** Changes the worker `workerId`, or creates one and resolves with its key. */
export const useSaveWorker = (workerId: string | null) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (body: WorkerBody): Promise<{ name: string; key: string | null }> => {
      if (workerId === null) return unwrap(api.POST('/joint-api/workers/addnew', { body }));
      const changed = api.PUT('/joint-api/workers/{worker_id}', { params: { path: { worker_id: workerId } }, body });
      return { name: (await unwrap(changed)).name, key: null };
    },
    // The response contains the key, which must not stay in the cache.
    gcTime: 0,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.workers }),
  });
};
