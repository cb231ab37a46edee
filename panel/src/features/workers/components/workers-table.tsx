import { Badge, Button, Group, Progress } from '@mantine/core';
import { IconPlus, IconRefresh } from '@tabler/icons-react';
import { byteSize } from '@trawl/contracts';
import type { Worker } from '../../../api/entities.js';
import { useWorkers } from '../../../api/requests/list-workers.js';
import { isMissing } from '../../../components/feedback/load-failure.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { CopyId } from '../../../components/values/copy-id.js';
import { WorkerStatusText } from '../../../components/values/status.js';
import { useIsAdmin } from '../../../session/use-is-admin.js';
import { useWorkerAsList } from '../api/get-worker.js';
import { SandboxCell } from './sandbox-modal.js';
import { WorkerActions } from './worker-actions.js';
import { WorkerName } from './worker-history.js';

/** If the event loop of a worker is blocked for longer, it starts and stops runs late. */
const LONG_BLOCK_MS = 1_000;

/** The oldest major version of Node that still gets security fixes. */
const OLDEST_NODE = 22;
const majorOf = (version: string): number => Number.parseInt(version, 10);
const isNodeOld = (version = ''): boolean => majorOf(version) < OLDEST_NODE;

/** A measure of a worker's machine; `share` is from 0 to 1. The exact numbers appear on hover. */
const Load = ({ label, share, exact }: { label: string; share: number; exact?: string }) => {
  const text = `${Math.round(share * 100)}\u00a0%`;
  return (
    <div title={exact}>
      <span>{label}</span>
      <Progress
        size="sm"
        value={share * 100}
        color={share > 0.9 ? 'red' : 'sea'}
        aria-label={`${label}: ${exact ?? text}`}
      />
      <span>{text}</span>
    </div>
  );
};

/** The worker's environments and Node, and for administrators, who can update it, its Chromium if that is old. */
function EnvironmentsCell({ worker: { environments, nodes, chromium } }: { worker: Worker }) {
  const isAdmin = useIsAdmin();
  return (
    <div className="worker-environments">
      {environments.join(', ') || '–'}
      {nodes.length > 0 && (
        <span className="cell-sub" title={nodes.join(', ')}>
          Node {[...new Set(nodes.map(majorOf))].join(', ')}
        </span>
      )}
      {isAdmin && isNodeOld(nodes[0]) && (
        <span className="cell-sub">Node {nodes[0]} gets no more security fixes. Update the worker.</span>
      )}
      {isAdmin && chromium?.is_old && (
        <span className="cell-sub">
          Chromium {chromium.version.split('.')[0]} is old and has known holes. Update it.
        </span>
      )}
    </div>
  );
}

export const workerColumns: Column<Worker>[] = [
  {
    key: 'name',
    title: 'Name',
    sortBy: 'name',
    lead: true,
    render: worker => (
      <Group gap="0 8px" component="span">
        <WorkerName worker={worker} />
        {worker.public && (
          <Badge size="sm" variant="light" tt="none">
            public
          </Badge>
        )}
        {!worker.usable && (
          <Badge size="sm" variant="default" tt="none">
            cannot run your skripts
          </Badge>
        )}
        <span className="cell-sub cell-id worker-id">
          <CopyId id={worker.id} short of={worker.name} />
        </span>
      </Group>
    ),
  },
  { key: 'status', title: 'Status', brief: true, render: worker => <WorkerStatusText status={worker.status} /> },
  {
    key: 'slots',
    title: 'Free slots',
    brief: true,
    named: true,
    render: worker => (
      <span className="tabular">
        {worker.status === 'online' ? worker.free_slots : 0} of {worker.slots}
      </span>
    ),
  },
  {
    key: 'load',
    title: 'Machine',
    render: ({ usage }) =>
      usage ? (
        <div className="tabular worker-load">
          <Load label="CPU" share={usage.cpu} />
          <Load
            label="Memory"
            share={usage.memory_used_bytes / Math.max(1, usage.memory_total_bytes)}
            exact={`${byteSize(usage.memory_used_bytes)} of ${byteSize(usage.memory_total_bytes)}`}
          />
          {usage.disk_free_bytes !== null && usage.disk_total_bytes !== null && (
            <Load
              label="Disk"
              share={1 - usage.disk_free_bytes / Math.max(1, usage.disk_total_bytes)}
              exact={`${byteSize(usage.disk_free_bytes)} of ${byteSize(usage.disk_total_bytes)} free`}
            />
          )}
          {(usage.event_loop_ms ?? 0) >= LONG_BLOCK_MS && (
            <span className="cell-sub">{`Blocked for ${((usage.event_loop_ms ?? 0) / 1_000).toFixed(1)} s`}</span>
          )}
        </div>
      ) : (
        '–'
      ),
  },
  { key: 'sandbox', title: 'Sandbox', render: worker => <SandboxCell worker={worker} /> },
  { key: 'runs', title: 'Environments', render: worker => <EnvironmentsCell worker={worker} /> },
  {
    key: 'ip',
    title: 'IP address',
    render: worker => (
      <div>
        <span className="mono">{worker.ip_address ?? '–'}</span>
        {worker.version !== null && <span className="cell-sub">v{worker.version}</span>}
      </div>
    ),
  },
];

interface WorkersTableProps {
  isAdmin: boolean;
  onNew: () => void;
}

export function WorkersTable({ isAdmin, onNew }: WorkersTableProps) {
  const params = useListParams('name');
  const workerId = params.get('worker_id');
  const all = useWorkers(params.query);
  const one = useWorkerAsList(workerId);
  const query = workerId === '' ? all : one;
  const showAll = (
    <Button variant="light" onClick={() => params.set({ worker_id: null })}>
      One worker: show all
    </Button>
  );
  if (workerId !== '' && isMissing(one.error))
    return (
      <section className="card" aria-label="Workers">
        <EmptyState title="You have no such worker" action={showAll}>
          It was deleted, or an administrator no longer lets you use it.
        </EmptyState>
      </section>
    );
  return (
    <DataTable
      label="Workers"
      what="The workers"
      toolbar={workerId !== '' && showAll}
      columns={[
        ...workerColumns,
        {
          key: 'actions',
          title: 'Actions',
          actions: true,
          render: worker => <WorkerActions worker={worker} isAdmin={isAdmin} />,
        },
      ]}
      query={query}
      params={workerId === '' ? params : undefined}
      rowKey={worker => worker.id}
      empty={
        isAdmin ? (
          <EmptyState
            title="Add the first worker"
            action={
              <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onNew}>
                New worker
              </Button>
            }
          >
            A worker is a machine that runs skripts. Create one here to get the key that it connects with.
          </EmptyState>
        ) : (
          <EmptyState
            title="You have no worker yet"
            action={
              <Button leftSection={<IconRefresh size={16} aria-hidden />} onClick={() => void query.refetch()}>
                Refresh
              </Button>
            }
          >
            Ask an administrator to assign you a worker or to make one public. Meanwhile you can write skripts.
          </EmptyState>
        )
      }
    />
  );
}
