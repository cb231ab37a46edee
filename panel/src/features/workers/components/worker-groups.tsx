import { Badge, Box, Group, Menu } from '@mantine/core';
import { useState } from 'react';
import type { WorkerGroup } from '../../../api/entities.js';
import { useWorkers } from '../../../api/requests/list-workers.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { EmptyState, ErrorState } from '../../../components/feedback/states.js';
import { DataTable } from '../../../components/list/data-table.js';
import { RowMenu } from '../../../components/list/row-menu.js';
import { CopyableCode } from '../../../components/values/copyable-code.js';
import { useDeleteWorkerGroup, useWorkerGroups } from '../api/worker-groups.js';
import { AssignmentsModal } from './assignments-modal.js';
import { RotateGroupKeyModal } from './rotate-key-modal.js';
import { groupStartCommand } from './worker-key.js';
import { GroupModal } from './worker-modal.js';
import { workerColumns } from './workers-table.js';

const MOST = 1000;
const SHOWN = ['name', 'status', 'slots', 'load', 'ip'];
const columns = workerColumns.filter(({ key }) => SHOWN.includes(key));

function GroupMenu({ group }: { group: WorkerGroup }) {
  const [open, setOpen] = useState<'change' | 'assignments' | 'key' | null>(null);
  const close = () => setOpen(null);
  const remove = useDeleteWorkerGroup();
  const confirmDeletion = () =>
    confirmDelete({
      title: `Delete ${group.name}?`,
      children: `This disconnects its workers (${group.workers}) and deletes them with their assignments. Runs that wait for one of them end with worker_withdrawn. Past runs keep their names.`,
      confirmLabel: 'Delete worker group',
      typed: group.name,
      onConfirm: () => remove.mutate(group.id),
    });
  return (
    <>
      <RowMenu of={group.name} isBusy={remove.isPending}>
        <Menu.Item onClick={() => setOpen('change')}>Change…</Menu.Item>
        <Menu.Item onClick={() => setOpen('assignments')}>Users…</Menu.Item>
        <Menu.Item onClick={() => setOpen('key')}>New key…</Menu.Item>
        <Menu.Item color="red" onClick={confirmDeletion}>
          Delete…
        </Menu.Item>
      </RowMenu>
      {open === 'change' && <GroupModal group={group} onClose={close} />}
      {open === 'assignments' && <AssignmentsModal assignable={{ ...group, kind: 'group' }} onClose={close} />}
      {open === 'key' && <RotateGroupKeyModal group={group} onClose={close} />}
    </>
  );
}

function GroupOfWorkers({ group }: { group: WorkerGroup }) {
  const workers = useWorkers({ group_id: group.id, sort: 'name', limit: MOST });
  return (
    <section aria-label={`Worker group ${group.name}`}>
      <Group justify="space-between" align="baseline">
        <Group gap="xs" align="baseline">
          <h2 className="section-title">{group.name}</h2>
          {group.public && (
            <Badge size="sm" variant="light" tt="none">
              public
            </Badge>
          )}
          <span className="tabular">
            {group.connected} of {group.workers} connected
          </span>
        </Group>
        <GroupMenu group={group} />
      </Group>
      <DataTable
        label={`Workers of ${group.name}`}
        what={`The workers of ${group.name}`}
        columns={columns}
        query={workers}
        rowKey={worker => worker.id}
        empty={
          <EmptyState title="No worker has connected yet">
            Start one or more with the key of the group, each with a data folder of its own.
          </EmptyState>
        }
      />
      <Box mt="sm">
        <CopyableCode title={`Start a worker of ${group.name}`} code={groupStartCommand('trw_…', group.name)} />
      </Box>
    </section>
  );
}

/** The worker groups, each with its workers. Shows nothing if there are none. */
export function WorkerGroups() {
  const groups = useWorkerGroups();
  if (groups.isError && !groups.data)
    return (
      <section className="card" aria-label="Worker groups">
        <ErrorState
          inset
          what="The worker groups could not be loaded"
          error={groups.error}
          onRetry={() => groups.refetch()}
        />
      </section>
    );
  return groups.data?.items.map(group => <GroupOfWorkers key={group.id} group={group} />);
}
