import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { noticeDone, noticeFailed } from '../../../components/notices.js';

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
      noticeDone('The execution is deleted.');
      return queryClient.invalidateQueries({ queryKey: [...QUERY_KEYS.executions, 'list'] });
    },
    onError: error => noticeFailed('The execution could not be deleted', error),
  });
};
