import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

export interface WorkerBody {
  name: string;
  public: boolean;
}

/** Makes one, whose answer holds its key, or changes the one of `workerId`. */
export const useSaveWorker = (workerId: string | null) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (body: WorkerBody): Promise<{ name: string; key: string | null }> => {
      if (workerId === null) return unwrap(api.POST('/joint-api/workers/addnew', { body }));
      const changed = api.PUT('/joint-api/workers/{worker_id}', { params: { path: { worker_id: workerId } }, body });
      return { name: (await unwrap(changed)).name, key: null };
    },
    // A key is not to stay in memory.
    gcTime: 0,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.workers }),
  });
};
