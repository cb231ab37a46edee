import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { notifyError } from '../../../components/feedback/notify.js';

export type Control = 'pause' | 'resume' | 'stop';

const DONE: Record<Control, string> = { pause: 'paused', resume: 'resumed', stop: 'stopped' };

/** Pauses, resumes or stops a live run. The live socket pushes the result. */
export const useControlExecution = (control: Control) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (executionId: string) =>
      unwrap(
        api.GET(`/joint-api/execute-skript/single-worker/${control}`, {
          params: { query: { execution_id: executionId } },
        }),
      ),
    onError: error => notifyError(`The run could not be ${DONE[control]}`, error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.executions }),
  });
};
