import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import type { Worker } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { useUrlParams } from '../../../components/list/url-params.js';
import { useDeleteWorker } from '../api/delete-worker.js';
import { AssignmentsModal } from './assignments-modal.js';
import { RestartModal } from './restart-modal.js';
import { RotateKeyModal } from './rotate-key-modal.js';
import { WorkerModal } from './worker-modal.js';

const DIALOGUES = {
  change: WorkerModal,
  key: RotateKeyModal,
};

/** The restart of a worker, if the user may do that, and for administrators a menu with it and further actions. */
export function WorkerActions({ worker, isAdmin }: { worker: Worker; isAdmin: boolean }) {
  const [open, setOpen] = useState<keyof typeof DIALOGUES | 'assignments' | null>(null);
  const remove = useDeleteWorker();
  const params = useUrlParams();
  // In the address, so that the command palette can open it.
  const isRestarting = params.get('restart') === worker.id;
  const setRestarting = (is: boolean) => params.set({ restart: is ? worker.id : null });
  const Dialogue = open && open !== 'assignments' && DIALOGUES[open];
  const confirmDeletion = () =>
    confirmDelete({
      title: `Delete ${worker.name}?`,
      children:
        'This disconnects the worker and removes its assignments. Runs that wait for it end with worker_withdrawn. Users who lose their free worker wait for another one. Past runs keep its name.',
      confirmLabel: 'Delete worker',
      typed: worker.name,
      onConfirm: () => remove.mutate(worker.id),
    });
  const canRestart = worker.may_restart && worker.status !== 'offline';
  // Phones hide empty cells. An open dialogue stays open when the worker disconnects.
  if (!canRestart && !isAdmin && !isRestarting) return null;
  return (
    <Group gap="xs" wrap="nowrap" display="inline-flex">
      {canRestart && !isAdmin && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => setRestarting(true)}
          aria-label={`Restart ${worker.name}`}
        >
          Restart
        </Button>
      )}
      {isAdmin && (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`More for ${worker.name}`}>
              <IconDots size={16} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {canRestart && <Menu.Item onClick={() => setRestarting(true)}>Restart…</Menu.Item>}
            <Menu.Item onClick={() => setOpen('change')}>Change…</Menu.Item>
            <Menu.Item onClick={() => setOpen('assignments')}>Users…</Menu.Item>
            {worker.group_id === null && <Menu.Item onClick={() => setOpen('key')}>New key…</Menu.Item>}
            <Menu.Item color="red" onClick={confirmDeletion}>
              Delete…
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {open === 'assignments' && (
        <AssignmentsModal assignable={{ ...worker, kind: 'worker' }} onClose={() => setOpen(null)} />
      )}
      {isRestarting && worker.may_restart && <RestartModal worker={worker} onClose={() => setRestarting(false)} />}
      {Dialogue && <Dialogue worker={worker} onClose={() => setOpen(null)} />}
    </Group>
  );
}
