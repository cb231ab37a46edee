import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';
import type { WorkerBody } from './save-worker.js';

const MOST = 1000;
/** Interval of polling, because the server does not push changes of workers. */
const REFRESH_MS = 5_000;

const groupsQuery = queryOptions({
  queryKey: [...QUERY_KEYS.workers, 'groups'],
  queryFn: ({ signal }) =>
    unwrap(api.GET('/apps/worker-groups/list', { params: { query: { limit: MOST, sort: 'name' } }, signal })),
  refetchInterval: REFRESH_MS,
});

export const useWorkerGroups = () => useQuery(groupsQuery);

/** Changes the group `groupId`, or creates one and resolves with its key. */
export const useSaveWorkerGroup = (groupId: string | null) =>
  useChange({
    send: async (body: WorkerBody): Promise<{ name: string; key: string | null }> => {
      if (groupId === null) return unwrap(api.POST('/joint-api/worker-groups/addnew', { body }));
      const path = { worker_group_id: groupId };
      const changed = api.PUT('/joint-api/worker-groups/{worker_group_id}', { params: { path }, body });
      return { name: (await unwrap(changed)).name, key: null };
    },
    reload: [QUERY_KEYS.workers],
  });

export const useRotateWorkerGroupKey = (groupId: string) =>
  useChange({
    send: () =>
      unwrap(
        api.POST('/joint-api/worker-groups/{worker_group_id}/key', { params: { path: { worker_group_id: groupId } } }),
      ),
    reload: [QUERY_KEYS.workers],
  });

export const useDeleteWorkerGroup = () =>
  useChange({
    send: (groupId: string) =>
      unwrap(
        api.DELETE('/joint-api/worker-groups/{worker_group_id}', { params: { path: { worker_group_id: groupId } } }),
      ),
    done: () => 'The worker group is deleted.',
    reload: [QUERY_KEYS.workers],
    failed: 'The worker group could not be deleted',
  });
