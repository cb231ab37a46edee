import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

export const useRotateWorkerKey = (workerId: string) =>
  useChange({
    send: () => unwrap(api.POST('/joint-api/workers/{worker_id}/key', { params: { path: { worker_id: workerId } } })),
    reload: [QUERY_KEYS.workers],
  });
