import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { notifyError, notifySuccess } from '../../../components/feedback/notify.js';

export const useDeleteExecution = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (executionId: string) =>
      unwrap(
        api.DELETE('/joint-api/skript-execution/{skriptExecution_id}', {
          params: { path: { skriptExecution_id: executionId } },
        }),
      ),
    onSuccess: () => {
      notifySuccess('The run is deleted.');
      return queryClient.invalidateQueries({ queryKey: [...QUERY_KEYS.executions, 'list'] });
    },
    onError: error => notifyError('The run could not be deleted', error),
  });
};
