import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

export const deleteSchedule = (scheduleId: string) =>
  unwrap(api.DELETE('/joint-api/schedules/{schedule_id}', { params: { path: { schedule_id: scheduleId } } }));

export const useDeleteSchedule = () =>
  useChange({
    send: deleteSchedule,
    done: () => 'The schedule is deleted.',
    reload: [[...QUERY_KEYS.schedules, 'list']],
    failed: 'The schedule could not be deleted',
  });
