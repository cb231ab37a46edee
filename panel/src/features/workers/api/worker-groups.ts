import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { notifyError, notifySuccess } from '../../../components/feedback/notify.js';
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
export const useSaveWorkerGroup = (groupId: string | null) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (body: WorkerBody): Promise<{ name: string; key: string | null }> => {
      if (groupId === null) return unwrap(api.POST('/joint-api/worker-groups/addnew', { body }));
      const path = { worker_group_id: groupId };
      const changed = api.PUT('/joint-api/worker-groups/{worker_group_id}', { params: { path }, body });
      return { name: (await unwrap(changed)).name, key: null };
    },
    // The response contains the key, which must not stay in the cache.
    gcTime: 0,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.workers }),
  });
};

export const useRotateWorkerGroupKey = (groupId: string) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/joint-api/worker-groups/{worker_group_id}/key', { params: { path: { worker_group_id: groupId } } }),
      ),
    // The response contains the key, which must not stay in the cache.
    gcTime: 0,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.workers }),
  });
};

export const useDeleteWorkerGroup = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (groupId: string) =>
      unwrap(
        api.DELETE('/joint-api/worker-groups/{worker_group_id}', { params: { path: { worker_group_id: groupId } } }),
      ),
    onSuccess: () => {
      notifySuccess('The worker group is deleted.');
      return queryClient.invalidateQueries({ queryKey: QUERY_KEYS.workers });
    },
    onError: error => notifyError('The worker group could not be deleted', error),
  });
};
