import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

export const useDeleteWorker = () =>
  useChange({
    send: (workerId: string) =>
      unwrap(api.DELETE('/joint-api/workers/{worker_id}', { params: { path: { worker_id: workerId } } })),
    done: () => 'The worker is deleted.',
    reload: [QUERY_KEYS.workers],
    failed: 'The worker could not be deleted',
  });
