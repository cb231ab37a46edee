import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RestartMode } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { noticeDone } from '../../../components/notices.js';

export const useRestartWorker = (workerId: string) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (mode: RestartMode) =>
      unwrap(
        api.POST('/joint-api/workers/{worker_id}/restart', {
          params: { path: { worker_id: workerId } },
          body: { mode },
        }),
      ),
    onSuccess: ({ name }) => {
      noticeDone(`${name} takes no more runs and comes back by itself.`);
      return queryClient.invalidateQueries({ queryKey: QUERY_KEYS.workers });
    },
  });
};
