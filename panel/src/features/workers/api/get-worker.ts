import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { Listed, Worker } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

const REFRESH_MS = 5_000;

/** One worker as it is now. The list may be some seconds old. */
const workerQuery = (workerId: string) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.workers, 'one', workerId],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/workers/{worker_id}', { params: { path: { worker_id: workerId } }, signal })),
    // A count from an earlier look would be wrong.
    gcTime: 0,
    refetchInterval: REFRESH_MS,
  });

export const useWorker = (workerId: string) => useQuery(workerQuery(workerId));

/** The same worker as a list of one, for the table of workers. */
export const useWorkerAsList = (workerId: string) =>
  useQuery({
    ...workerQuery(workerId),
    enabled: workerId !== '',
    select: (worker): Listed<Worker> => ({ total: 1, items: [worker] }),
  });
