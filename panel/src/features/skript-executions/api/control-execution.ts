import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { noticeFailed } from '../../../components/notices.js';

export type Control = 'pause' | 'resume' | 'stop';

const DONE: Record<Control, string> = { pause: 'paused', resume: 'resumed', stop: 'stopped' };

/** Acts on a run that goes on. What comes of it is pushed. */
export const useControlExecution = (control: Control) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (executionId: string) =>
      unwrap(
        api.GET(`/joint-api/execute-skript/single-worker/${control}`, {
          params: { query: { execution_id: executionId } },
        }),
      ),
    onError: error => noticeFailed(`The run could not be ${DONE[control]}`, error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.executions }),
  });
};
