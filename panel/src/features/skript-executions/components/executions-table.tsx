import { Button } from '@mantine/core';
import type { Action, VerdictLevel } from '@trawl/contracts';
import { Link, type LinkProps } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useExecutions } from '../../../api/requests/list-executions.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { BulkBar } from '../../../components/list/bulk/bulk-bar.js';
import { ChoiceFilter } from '../../../components/list/choice-filter.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { chosenDays, DayFilters } from '../../../components/list/day-filters.js';
import { Filters } from '../../../components/list/filters.js';
import { type ListParams, useListParams } from '../../../components/list/list-params.js';
import { NoMatches } from '../../../components/list/no-matches.js';
import { SavedFilters } from '../../../components/list/preferences/saved-filters.js';
import { useRowSelection } from '../../../components/list/row-selection.js';
import { RunDuration } from '../../../components/runs/run-duration.js';
import { LEVEL_CHOICES, openVerdict } from '../../../components/runs/verdict-words.js';
import { SkriptSelect } from '../../../components/selects/skript-select.js';
import { WorkerFilter } from '../../../components/selects/worker-filter.js';
import { CopyId } from '../../../components/values/copy-id.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { ACTION_CHOICES, RunStatus, WaitingText } from '../../../components/values/status.js';
import { timeWords } from '../../../components/values/time-text.js';
import { usePanelPath } from '../../../session/panel-path.js';
import { RUN_ACTIONS } from './run-bulk.js';
import { RunControls } from './run-controls.js';

/** Path of a run, wherever the table is. */
function RunLink({ execution: { id }, ...link }: { execution: Execution } & Omit<LinkProps, 'to'>) {
  const path = usePanelPath();
  return <Link {...link} to={path('skript-executions', `/${id}`)} />;
}

const columns: Column<Execution>[] = [
  {
    key: 'skript',
    title: 'Skript',
    lead: true,
    render: execution => (
      <>
        <RunLink className="cell-title" execution={execution} title={inReadingOrder(execution.skript.name)}>
          {inReadingOrder(execution.skript.name)}
        </RunLink>
        <span className="cell-sub cell-id">
          {execution.replay_of !== null && 'replay '}
          <CopyId id={execution.id} short of={`a run of ${inReadingOrder(execution.skript.name)}`} />
        </span>
      </>
    ),
  },
  {
    key: 'action',
    title: 'Status',
    brief: true,
    render: execution => (
      <div>
        <RunStatus action={execution.action} waiting={execution.waiting_for} />
        {execution.started_at && !execution.waiting_for && (
          <span className="cell-sub">
            <RunDuration run={execution} />
          </span>
        )}
        {execution.waiting_for && (
          <span className="cell-sub cell-reason">
            <WaitingText waiting={execution.waiting_for} />
          </span>
        )}
      </div>
    ),
  },
  {
    key: 'problem',
    title: 'Problem',
    brief: true,
    render: execution => {
      const verdict = openVerdict(execution);
      if (verdict)
        return (
          <div title={inReadingOrder(verdict.text)}>
            <RunLink className="link" execution={execution}>
              rows {verdict.level}
            </RunLink>
            <span className="cell-sub clip">{inReadingOrder(verdict.text)}</span>
          </div>
        );
      if (!execution.error_code) return null;
      return (
        <div title={inReadingOrder(execution.error_stack ?? '') || undefined}>
          <RunLink className="link mono" execution={execution}>
            {execution.error_code}
          </RunLink>
          {execution.error_stack && (
            <span className="cell-sub clip">
              <MessageText of={execution.error_stack.split('\n')[0] ?? ''} />
            </span>
          )}
        </div>
      );
    },
  },
  { key: 'worker', title: 'Worker', names: true, render: execution => execution.worker?.name ?? 'not chosen yet' },
  {
    key: 'input',
    title: 'Input and secret',
    names: true,
    render: ({ input, inputSecret: secret }) => (
      <div>
        <span className="three-lines" title={input?.name}>
          {input?.name ?? '–'}
        </span>
        {secret && (
          <span className="cell-sub three-lines" title={secret.name}>
            {secret.name}
          </span>
        )}
      </div>
    ),
  },
  {
    key: 'created',
    title: 'Created',
    brief: true,
    sortBy: 'created_at',
    render: execution => <RelativeTime iso={execution.created_at} />,
  },
  {
    key: 'actions',
    title: 'Actions',
    actions: true,
    render: execution => <RunControls execution={execution} size="compact-xs" />,
  },
];

/** The columns for the runs of one skript: the first one names the run by its time. */
const columnsOfSkript: Column<Execution>[] = [
  {
    key: 'created',
    title: 'Run',
    lead: true,
    sortBy: 'created_at',
    render: execution => (
      <>
        <RunLink className="cell-title" execution={execution}>
          <RelativeTime iso={execution.created_at} />
        </RunLink>
        <span className="cell-sub">
          {execution.replay_of !== null && 'replay '}
          {execution.schedule && `${inReadingOrder(execution.schedule.name || 'a deleted schedule')} `}
          <CopyId id={execution.id} short of={`the run of ${timeWords(execution.created_at)}`} />
        </span>
      </>
    ),
  },
  ...columns.filter(({ key }) => !['skript', 'created', 'actions'].includes(key)),
  {
    key: 'rows',
    title: 'Dataset rows',
    brief: true,
    render: ({ rows }) => <span className="tabular">{rows.toLocaleString('en-GB')}</span>,
  },
  ...columns.filter(({ key }) => key === 'actions'),
];

const FILTER_WIDTH = { base: '100%', sm: 190 };

const FILTERS = ['skript_id', 'worker_id', 'action', 'verdict', 'schedule_id', 'issue_id', 'from', 'to'];

/** Filters that only links set, and the button that removes each. */
const LINKED_FILTERS = [
  ['schedule_id', 'Runs of one schedule: show all'],
  ['issue_id', 'Runs of one issue: show all'],
] as const;

function RunFilters({ params, ofSkript }: { params: ListParams; ofSkript: boolean }) {
  return (
    <Filters set={FILTERS.filter(name => params.get(name) !== '').length}>
      {!ofSkript && (
        <SkriptSelect
          width={FILTER_WIDTH}
          clearable
          placeholder="All skripts"
          value={params.get('skript_id') || null}
          onChange={value => params.set({ skript_id: value })}
        />
      )}
      <WorkerFilter
        width={FILTER_WIDTH}
        value={params.get('worker_id')}
        onChange={value => params.set({ worker_id: value })}
      />
      <ChoiceFilter params={params} name="action" label="All statuses" choices={ACTION_CHOICES} width={190} />
      <ChoiceFilter params={params} name="verdict" label="All verdicts" choices={LEVEL_CHOICES} width={170} />
      <DayFilters params={params} />
      {LINKED_FILTERS.filter(([name]) => params.get(name) !== '').map(([name, label]) => (
        <Button key={name} variant="light" onClick={() => params.set({ [name]: null })}>
          {label}
        </Button>
      ))}
    </Filters>
  );
}

/** Leads to the comparison of two selected runs of a skript. */
function CompareButton({ runs: [one, other, ...more] }: { runs: readonly Execution[] }) {
  const path = usePanelPath();
  if (!one || !other || more.length > 0 || one.skript.id !== other.skript.id) return null;
  const compared = new URLSearchParams({ one: one.id, other: other.id });
  return (
    <Button component={Link} to={path('skript-executions', `/compare?${compared}`)}>
      Compare
    </Button>
  );
}

interface ExecutionsTableProps {
  executeHref: string;
  /** Shows only runs of this skript. */
  skriptId?: string;
}

/** Table of the account's runs, with live updates. */
export function ExecutionsTable({ executeHref, skriptId }: ExecutionsTableProps) {
  const params = useListParams('-created_at');
  const { from, to } = chosenDays(params);
  const filter = {
    skript_id: params.get('skript_id') || undefined,
    worker_id: params.get('worker_id') || undefined,
    action: (params.get('action') || undefined) as Action | undefined,
    verdict: (params.get('verdict') || undefined) as VerdictLevel | undefined,
    schedule_id: params.get('schedule_id') || undefined,
    issue_id: params.get('issue_id') || undefined,
    created_from: from,
    created_to: to,
  };
  const query = useExecutions({ ...params.query, ...filter, ...(skriptId && { skript_id: skriptId }) });
  const isFiltered = Object.values(filter).some(Boolean);
  const nameOf = ({ skript, created_at }: Execution) => `the run of ${skript.name} at ${timeWords(created_at)}`;
  const selection = useRowSelection(query.data?.items ?? [], ({ id }) => id, nameOf);
  return (
    <DataTable
      label="Skript executions"
      what="The runs"
      columns={[selection.column, ...(skriptId ? columnsOfSkript : columns)]}
      query={query}
      params={params}
      rowKey={execution => execution.id}
      toolbar={
        selection.selected.length > 0 ? (
          <BulkBar
            selection={selection}
            noun="run"
            nameOf={nameOf}
            actions={RUN_ACTIONS}
            reload={[QUERY_KEYS.executions]}
          >
            <CompareButton runs={selection.selected} />
          </BulkBar>
        ) : (
          <>
            <RunFilters params={params} ofSkript={skriptId !== undefined} />
            {!skriptId && <SavedFilters list="runs" />}
          </>
        )
      }
      empty={
        isFiltered ? (
          <NoMatches params={params} filters={FILTERS} title="No matching runs">
            None of your runs matches all filters.
          </NoMatches>
        ) : (
          <EmptyState
            title="No runs yet"
            action={
              <Button component={Link} to={executeHref}>
                Execute a skript
              </Button>
            }
          >
            Every run of a skript appears here with its worker, result and output.
          </EmptyState>
        )
      }
    />
  );
}
