import { IconPlayerPause, IconPlayerPlay, IconRepeat, IconTrash } from '@tabler/icons-react';
import type { Schedule } from '../../../api/entities.js';
import { confirmDelete, typedCount } from '../../../components/feedback/confirm-delete.js';
import type { BulkAction } from '../../../components/list/bulk/bulk-bar.js';
import { each } from '../../../components/list/bulk/bulk-work.js';
import { deleteSchedule } from '../api/delete-schedule.js';
import { enableSchedule } from '../api/save-schedule.js';
import { triggerSchedule } from '../api/trigger-schedule.js';

/** @throws {Error} if the fire made no run, with the reason. */
async function run({ id }: Schedule): Promise<void> {
  const { outcome, reason } = await triggerSchedule(id);
  if (outcome !== 'fired' && outcome !== 'queued') throw new Error(reason ?? `The fire was ${outcome}.`);
}

/** The bulk actions of schedules. */
export const SCHEDULE_ACTIONS: BulkAction<Schedule>[] = [
  { label: 'Run now', Icon: IconPlayerPlay, done: 'fired', start: (_, go) => go(each(run)) },
  {
    label: 'Pause',
    Icon: IconPlayerPause,
    done: 'paused',
    applies: ({ enabled }) => enabled,
    start: (_, go) => go(each(({ id }) => enableSchedule(id, false))),
  },
  {
    label: 'Resume',
    Icon: IconRepeat,
    done: 'resumed',
    applies: ({ enabled }) => !enabled,
    start: (_, go) => go(each(({ id }) => enableSchedule(id, true))),
  },
  {
    label: 'Delete…',
    Icon: IconTrash,
    done: 'deleted',
    start: (schedules, go) =>
      confirmDelete({
        title:
          schedules.length === 1
            ? `Delete the schedule ${schedules[0]?.name}?`
            : `Delete ${schedules.length} schedules?`,
        children:
          'This deletes the schedules with the record of their fires. Their runs stay, and those in progress continue.',
        confirmLabel: 'Delete',
        typed: typedCount(schedules.length),
        onConfirm: () => go(each(({ id }) => deleteSchedule(id))),
      }),
  },
];
