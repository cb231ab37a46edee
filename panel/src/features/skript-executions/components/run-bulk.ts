import { IconPlayerPause, IconPlayerPlay, IconPlayerStop, IconTrash } from '@tabler/icons-react';
import { isLive } from '@trawl/contracts';
import type { Execution } from '../../../api/entities.js';
import { confirmDelete, typedCount } from '../../../components/feedback/confirm-delete.js';
import type { BulkAction } from '../../../components/list/bulk/bulk-bar.js';
import { each } from '../../../components/list/bulk/bulk-work.js';
import { CALLS } from '../api/control-execution.js';
import { deleteExecutions } from '../api/delete-executions.js';

/** The bulk actions of runs. */
export const RUN_ACTIONS: BulkAction<Execution>[] = [
  {
    label: 'Stop',
    Icon: IconPlayerStop,
    done: 'stopped',
    applies: ({ action }) => isLive(action),
    start: (_, go) => go(each(({ id }) => CALLS.stop(id))),
  },
  {
    label: 'Pause',
    Icon: IconPlayerPause,
    done: 'paused',
    applies: ({ action }) => action === 'start',
    start: (_, go) => go(each(({ id }) => CALLS.pause(id))),
  },
  {
    label: 'Resume',
    Icon: IconPlayerPlay,
    done: 'resumed',
    applies: ({ action }) => action === 'pause',
    start: (_, go) => go(each(({ id }) => CALLS.resume(id))),
  },
  {
    label: 'Delete…',
    Icon: IconTrash,
    done: 'deleted',
    start: (runs, go) =>
      confirmDelete({
        title: runs.length === 1 ? 'Delete one run?' : `Delete ${runs.length} runs?`,
        children:
          'This permanently deletes the selected runs and their saved echoes. Trawl keeps live runs: stop them first.',
        confirmLabel: 'Delete',
        typed: typedCount(runs.length),
        onConfirm: () => go(deleteExecutions),
      }),
  },
];
