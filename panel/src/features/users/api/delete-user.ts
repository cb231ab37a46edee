import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

export const useDeleteUser = () =>
  useChange({
    send: (userId: string) =>
      unwrap(api.DELETE('/joint-api/users/{user_id}', { params: { path: { user_id: userId } } })),
    done: () => 'The account is deleted.',
    reload: [QUERY_KEYS.users],
    failed: 'The account could not be deleted',
  });
