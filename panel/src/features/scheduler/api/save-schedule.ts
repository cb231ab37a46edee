import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { Schedule, ScheduleBody } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { notifyError, notifySuccess } from '../../../components/feedback/notify.js';

const save = ({ id, ...body }: ScheduleBody & { id?: string }) =>
  id === undefined
    ? unwrap(api.POST('/joint-api/schedules/addnew', { body }))
    : unwrap(api.PUT('/joint-api/schedules/{schedule_id}', { params: { path: { schedule_id: id } }, body }));

/** Creates a schedule, or changes the one with this `id`. */
export const useSaveSchedule = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: save,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.schedules }),
  });
};

/** Pauses or resumes a schedule. */
export const useSwitchSchedule = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id, enabled }: Schedule) =>
      unwrap(
        api.PUT('/joint-api/schedules/{schedule_id}', {
          params: { path: { schedule_id: id } },
          body: { enabled: !enabled },
        }),
      ),
    onSuccess: ({ name, enabled }) => {
      notifySuccess(enabled ? `${name} fires again.` : `${name} is paused.`);
      return queryClient.invalidateQueries({ queryKey: QUERY_KEYS.schedules });
    },
    onError: error => notifyError('The schedule could not be changed', error),
  });
};
