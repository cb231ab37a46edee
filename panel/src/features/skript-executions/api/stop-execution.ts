import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { noticeFailed } from '../../../components/notices.js';

export const useStopExecution = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (executionId: string) =>
      unwrap(
        api.GET('/joint-api/execute-skript/single-worker/stop', { params: { query: { execution_id: executionId } } }),
      ),
    onError: error => noticeFailed('The run could not be stopped', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.executions }),
  });
};
