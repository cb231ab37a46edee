import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

/** A worker or a worker group that can be assigned to users. */
export interface Assignable {
  kind: 'worker' | 'group';
  id: string;
}

const query = { limit: 1000 };
const workerPath = (id: string) => ({ worker_id: id });
const groupPath = (id: string) => ({ worker_group_id: id });
const keyOf = ({ kind, id }: Assignable) => [...QUERY_KEYS.workers, 'assignments', kind, id];

const assignmentsQuery = ({ kind, id }: Assignable) =>
  queryOptions({
    queryKey: keyOf({ kind, id }),
    queryFn: async ({ signal }): Promise<{ items: { user_id: string; username: string; created_at: string }[] }> =>
      kind === 'worker'
        ? unwrap(
            api.GET('/joint-api/workers/{worker_id}/assignments/list', {
              params: { path: workerPath(id), query },
              signal,
            }),
          )
        : unwrap(
            api.GET('/joint-api/worker-groups/{worker_group_id}/assignments/list', {
              params: { path: groupPath(id), query },
              signal,
            }),
          ),
  });

export const useAssignments = (assignable: Assignable) => useQuery(assignmentsQuery(assignable));

export const useAssign = ({ kind, id }: Assignable) =>
  useChange({
    send: async (userId: string): Promise<unknown> => {
      const body = { user_id: userId };
      if (kind === 'worker')
        return unwrap(
          api.POST('/joint-api/workers/{worker_id}/assignments/addnew', { params: { path: workerPath(id) }, body }),
        );
      return unwrap(
        api.POST('/joint-api/worker-groups/{worker_group_id}/assignments/addnew', {
          params: { path: groupPath(id) },
          body,
        }),
      );
    },
    failed: `The worker${kind === 'group' ? ' group' : ''} could not be assigned`,
    reload: [keyOf({ kind, id })],
  });

export const useUnassign = ({ kind, id }: Assignable) =>
  useChange({
    send: (user_id: string) =>
      unwrap(
        kind === 'worker'
          ? api.DELETE('/joint-api/workers/{worker_id}/assignments/{user_id}', {
              params: { path: { ...workerPath(id), user_id } },
            })
          : api.DELETE('/joint-api/worker-groups/{worker_group_id}/assignments/{user_id}', {
              params: { path: { ...groupPath(id), user_id } },
            }),
      ),
    failed: 'The assignment could not be ended',
    reload: [keyOf({ kind, id })],
  });
