import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

/** How busy a worker was in the last day. */
export const useWorkerHistory = (workerId: string) =>
  useQuery({
    queryKey: [...QUERY_KEYS.workers, 'history', workerId],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/workers/{worker_id}/history', { params: { path: { worker_id: workerId } }, signal })),
  });
