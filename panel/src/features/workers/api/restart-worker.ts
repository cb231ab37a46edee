import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RestartMode } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { notifySuccess } from '../../../components/feedback/notify.js';

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
      notifySuccess(`${name} accepts no new runs and restarts.`);
      return queryClient.invalidateQueries({ queryKey: QUERY_KEYS.workers });
    },
  });
};
