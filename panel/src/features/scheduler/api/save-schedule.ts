import { api, unwrap } from '../../../api/client.js';
import type { Schedule, ScheduleBody } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

const save = ({ id, ...body }: ScheduleBody & { id?: string }) =>
  id === undefined
    ? unwrap(api.POST('/joint-api/schedules/addnew', { body }))
    : unwrap(api.PUT('/joint-api/schedules/{schedule_id}', { params: { path: { schedule_id: id } }, body }));

/** Creates a schedule, or changes the one with this `id`. */
export const useSaveSchedule = () =>
  useChange({
    send: save,
    reload: [QUERY_KEYS.schedules],
  });

/** Pauses or resumes a schedule. */
export const enableSchedule = (id: string, enabled: boolean) =>
  unwrap(api.PUT('/joint-api/schedules/{schedule_id}', { params: { path: { schedule_id: id } }, body: { enabled } }));

export const useSwitchSchedule = () =>
  useChange({
    send: ({ id, enabled }: Schedule) => enableSchedule(id, !enabled),
    done: ({ name, enabled }) => (enabled ? `${name} fires again.` : `${name} is paused.`),
    reload: [QUERY_KEYS.schedules],
    failed: 'The schedule could not be changed',
  });
