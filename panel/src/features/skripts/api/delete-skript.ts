import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { notifyError, notifySuccess } from '../../../components/feedback/notify.js';

export const useDeleteSkript = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (skriptId: string) =>
      unwrap(api.DELETE('/joint-api/skripts/{skript_id}', { params: { path: { skript_id: skriptId } } })),
    onSuccess: () => {
      notifySuccess('The skript is deleted.');
      return queryClient.invalidateQueries({ queryKey: [...QUERY_KEYS.skripts, 'list'] });
    },
    onError: error => notifyError('The skript could not be deleted', error),
  });
};
