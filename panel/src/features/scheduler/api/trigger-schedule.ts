import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { notifyError, notifySuccess } from '../../../components/feedback/notify.js';

export const triggerSchedule = (scheduleId: string) =>
  unwrap(api.POST('/joint-api/schedules/{schedule_id}/trigger', { params: { path: { schedule_id: scheduleId } } }));

/** Fires a schedule now. `onRun` gets the id of the run, if the fire made one. */
export const useTriggerSchedule = (onRun?: (executionId: string) => void) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: triggerSchedule,
    onSuccess: ({ execution, reason, outcome }) => {
      if (execution) {
        notifySuccess('The run has started.');
        onRun?.(execution.id);
      } else notifyError(outcome === 'queued' ? 'The run waits its turn' : 'No run started', new Error(reason ?? ''));
      void queryClient.invalidateQueries({ queryKey: QUERY_KEYS.executions });
      return queryClient.invalidateQueries({ queryKey: QUERY_KEYS.schedules });
    },
    onError: error => notifyError('The schedule could not be run', error),
  });
};
