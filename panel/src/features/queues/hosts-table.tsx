import type { QueueHost } from '../../api/entities.js';
import { EmptyState } from '../../components/feedback/states.js';
import { type Column, DataTable } from '../../components/list/data-table.js';
import { useListParams } from '../../components/list/list-params.js';
import { countColumns } from './count-columns.js';
import { useQueueHosts } from './queues.js';

const COLUMNS: Column<QueueHost>[] = [
  {
    key: 'host',
    title: 'Host',
    sortBy: 'name',
    lead: true,
    names: true,
    render: ({ host }) => <span className="cell-title mono">{host}</span>,
  },
  ...countColumns<QueueHost>(),
  {
    key: 'next',
    title: 'Next request',
    names: true,
    render: ({ next_url: url }) => url ?? 'none',
  },
  { key: 'error', title: 'An error', names: true, render: ({ error }) => error ?? 'none' },
];

/** Table of the hosts of a queue's requests. */
export function HostsTable({ queueId }: { queueId: string }) {
  const params = useListParams('-waiting');
  return (
    <DataTable
      label="Hosts"
      what="The hosts"
      columns={COLUMNS}
      query={useQueueHosts(queueId, params.query)}
      params={params}
      rowKey={({ host }) => host}
      empty={<EmptyState title="No requests">No run has added requests to this queue.</EmptyState>}
    />
  );
}
