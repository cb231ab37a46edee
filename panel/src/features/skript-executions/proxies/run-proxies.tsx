import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { byteSize, isLive } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';
import type { Execution, RunProxy } from '../../../api/entities.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { type ListParams, useListParams } from '../../../components/list/list-params.js';

/** Runs report their use of proxies about once a second. */
const REFRESH_MS = 10_000;

const useRunProxies = ({ id, action }: Execution, query: ListParams['query']) =>
  useQuery({
    queryKey: ['run-proxies', id, action, query],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skript-execution/{skriptExecution_id}/proxies', {
          params: { path: { skriptExecution_id: id }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: isLive(action) ? REFRESH_MS : false,
  });

const COLUMNS: Column<RunProxy>[] = [
  {
    key: 'address',
    title: 'Proxy',
    sortBy: 'address',
    lead: true,
    names: true,
    render: ({ address }) => <span className="cell-title mono">{address}</span>,
  },
  { key: 'pool', title: 'Pool', sortBy: 'pool', render: ({ pool }) => pool },
  {
    key: 'connections',
    title: 'Connections',
    sortBy: 'connections',
    render: ({ connections }) => connections.toLocaleString('en-GB'),
  },
  {
    key: 'failures',
    title: 'Failures',
    sortBy: 'failures',
    brief: true,
    named: true,
    render: ({ failures }) => failures.toLocaleString('en-GB'),
  },
  {
    key: 'received',
    title: 'Received',
    sortBy: 'bytes_received',
    brief: true,
    named: true,
    render: ({ bytes_received: bytes }) => byteSize(bytes),
  },
  { key: 'sent', title: 'Sent', sortBy: 'bytes_sent', render: ({ bytes_sent: bytes }) => byteSize(bytes) },
];

/** The proxies that a run has used, with the figures of each. */
export default function RunProxies({ execution }: { execution: Execution }) {
  const params = useListParams('-bytes_received');
  return (
    <div className="run-proxies">
      <DataTable
        label="Proxies of the run"
        what="The proxies"
        toolbar={<h2>Proxies</h2>}
        columns={COLUMNS}
        query={useRunProxies(execution, params.query)}
        params={params}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="No figures of single proxies">Trawl counted only their sum when this run ran.</EmptyState>
        }
      />
    </div>
  );
}
