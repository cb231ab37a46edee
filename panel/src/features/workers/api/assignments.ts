import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { notifyError } from '../../../components/feedback/notify.js';

const MOST = 1000;
const keyOf = (workerId: string) => [...QUERY_KEYS.workers, 'assignments', workerId];

const assignmentsQuery = (workerId: string) =>
  queryOptions({
    queryKey: keyOf(workerId),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/workers/{worker_id}/assignments/list', {
          params: { path: { worker_id: workerId }, query: { limit: MOST } },
          signal,
        }),
      ),
  });

export const useAssignments = (workerId: string) => useQuery(assignmentsQuery(workerId));

export const useAssign = (workerId: string) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (userId: string) =>
      unwrap(
        api.POST('/joint-api/workers/{worker_id}/assignments/addnew', {
          params: { path: { worker_id: workerId } },
          body: { user_id: userId },
        }),
      ),
    onError: error => notifyError('The worker could not be assigned', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(workerId) }),
  });
};

export const useUnassign = (workerId: string) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (userId: string) =>
      unwrap(
        api.DELETE('/joint-api/workers/{worker_id}/assignments/{user_id}', {
          params: { path: { worker_id: workerId, user_id: userId } },
        }),
      ),
    onError: error => notifyError('The assignment could not be ended', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(workerId) }),
  });
};
