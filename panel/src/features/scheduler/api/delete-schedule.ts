import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { notifyError, notifySuccess } from '../../../components/feedback/notify.js';

export const useDeleteSchedule = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (scheduleId: string) =>
      unwrap(api.DELETE('/joint-api/schedules/{schedule_id}', { params: { path: { schedule_id: scheduleId } } })),
    onSuccess: () => {
      notifySuccess('The schedule is deleted.');
      return queryClient.invalidateQueries({ queryKey: [...QUERY_KEYS.schedules, 'list'] });
    },
    onError: error => notifyError('The schedule could not be deleted', error),
  });
};
