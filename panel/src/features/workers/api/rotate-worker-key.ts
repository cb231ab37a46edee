import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

export const useRotateWorkerKey = (workerId: string) =>
  useChange(
    () => unwrap(api.POST('/joint-api/workers/{worker_id}/key', { params: { path: { worker_id: workerId } } })),
    {
      isSecret: true,
      refresh: QUERY_KEYS.workers,
    },
  );
