import type { Action } from '@trawl/contracts';
import type { PlatformExecution } from '../../api/entities.js';
import { EmptyState } from '../../components/feedback/states.js';
import { ChoiceFilter } from '../../components/list/choice-filter.js';
import { type Column, DataTable } from '../../components/list/data-table.js';
import { chosenDays, DayFilters } from '../../components/list/day-filters.js';
import { Filters } from '../../components/list/filters.js';
import { useListParams } from '../../components/list/list-params.js';
import { NoMatches } from '../../components/list/no-matches.js';
import { UserSelect } from '../../components/selects/user-select.js';
import { WorkerFilter } from '../../components/selects/worker-filter.js';
import { CopyId } from '../../components/values/copy-id.js';
import { inReadingOrder } from '../../components/values/in-reading-order.js';
import { RelativeTime } from '../../components/values/relative-time.js';
import { ACTION_CHOICES, RunStatus, WaitingText } from '../../components/values/status.js';
import { useAllRuns } from './all-runs.js';

const columns: Column<PlatformExecution>[] = [
  {
    key: 'skript',
    title: 'Skript',
    lead: true,
    render: run => (
      <>
        <span className="cell-title">{inReadingOrder(run.skript.name)}</span>
        <span className="cell-sub cell-id">
          <CopyId id={run.id} short of={`a run of ${inReadingOrder(run.skript.name)}`} />
        </span>
      </>
    ),
  },
  {
    key: 'owner',
    title: 'User',
    names: true,
    brief: true,
    render: ({ owner }) => owner?.username ?? 'deleted account',
  },
  {
    key: 'action',
    title: 'Status',
    brief: true,
    render: run => (
      <div>
        <RunStatus action={run.action} waiting={run.waiting_for} />
        {run.waiting_for && (
          <span className="cell-sub cell-reason">
            <WaitingText waiting={run.waiting_for} />
          </span>
        )}
        {run.error_code && <span className="cell-sub mono">{run.error_code}</span>}
      </div>
    ),
  },
  { key: 'worker', title: 'Worker', names: true, render: ({ worker }) => worker?.name ?? '–' },
  { key: 'rows', title: 'Rows', render: ({ rows }) => <span className="tabular">{rows.toLocaleString()}</span> },
  {
    key: 'created',
    title: 'Created',
    brief: true,
    sortBy: 'created_at',
    render: run => <RelativeTime iso={run.created_at} />,
  },
  { key: 'ended', title: 'Ended', render: run => run.ended_at && <RelativeTime iso={run.ended_at} /> },
];

const FILTERS = ['user_id', 'worker_id', 'action', 'from', 'to'];

/** Table of the runs of all accounts. Inputs, outputs and error texts belong to their owners, so it has none. */
export function AllRunsTable() {
  const params = useListParams('-created_at');
  const { from, to } = chosenDays(params);
  const query = useAllRuns({
    ...params.query,
    user_id: params.get('user_id') || undefined,
    worker_id: params.get('worker_id') || undefined,
    action: (params.get('action') || undefined) as Action | undefined,
    created_from: from,
    created_to: to,
  });
  const isFiltered = FILTERS.some(name => params.get(name) !== '');
  return (
    <DataTable
      label="Runs of all accounts"
      what="The runs"
      columns={columns}
      query={query}
      params={params}
      rowKey={({ id }) => id}
      toolbar={
        <Filters set={FILTERS.filter(name => params.get(name) !== '').length}>
          <UserSelect
            width={{ base: '100%', sm: 210 }}
            placeholder="All users"
            value={params.get('user_id') || null}
            onChange={value => params.set({ user_id: value })}
          />
          <WorkerFilter
            width={{ base: '100%', sm: 190 }}
            value={params.get('worker_id')}
            onChange={value => params.set({ worker_id: value })}
          />
          <ChoiceFilter params={params} name="action" label="All statuses" choices={ACTION_CHOICES} width={150} />
          <DayFilters params={params} />
        </Filters>
      }
      empty={
        isFiltered ? (
          <NoMatches params={params} filters={FILTERS} title="No matching runs">
            No run matches all filters.
          </NoMatches>
        ) : (
          <EmptyState title="No runs yet">The runs of all accounts appear here.</EmptyState>
        )
      }
    />
  );
}
