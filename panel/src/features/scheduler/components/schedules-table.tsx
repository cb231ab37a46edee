import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { Listed, Schedule } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import type { useSchedules } from '../../../api/requests/list-schedules.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { BulkBar } from '../../../components/list/bulk/bulk-bar.js';
import { ChoiceFilter } from '../../../components/list/choice-filter.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { Filters } from '../../../components/list/filters.js';
import type { ListParams } from '../../../components/list/list-params.js';
import { NoMatches } from '../../../components/list/no-matches.js';
import { SavedFilters } from '../../../components/list/preferences/saved-filters.js';
import { useRowSelection } from '../../../components/list/row-selection.js';
import { SearchField } from '../../../components/list/search-field.js';
import { SkriptSelect } from '../../../components/selects/skript-select.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { spanWords } from '../../../components/values/span-words.js';
import { RunStatus } from '../../../components/values/status.js';
import { ScheduleActions } from './schedule-actions.js';
import { SCHEDULE_ACTIONS } from './schedule-bulk.js';
import { ScheduleState } from './schedule-state.js';

interface SchedulesTableProps {
  query: ReturnType<typeof useSchedules>;
  params: ListParams;
  scheduleHref: (scheduleId: string) => string;
  /** True for the schedules of one skript, which has no other filters. */
  ofSkript?: boolean;
  onNew: () => void;
  onEdit: (schedule: Schedule) => void;
  onRun: (executionId: string) => void;
  runHref: (executionId: string) => string;
}

export function SchedulesTable(props: SchedulesTableProps) {
  const { query, params, scheduleHref, ofSkript = false, onNew, onEdit, onRun, runHref } = props;
  const nameOf = ({ name }: Schedule) => name;
  const selection = useRowSelection(query.data?.items ?? [], ({ id }) => id, nameOf);
  const columns: Column<Schedule>[] = [
    selection.column,
    {
      key: 'name',
      title: 'Name',
      sortBy: 'name',
      lead: true,
      render: ({ id, name, skript, job_name: job }) => (
        <>
          <Link className="cell-title" to={scheduleHref(id)} title={inReadingOrder(name)}>
            {inReadingOrder(name)}
          </Link>
          {!ofSkript && (
            <span className="cell-sub three-lines" title={inReadingOrder(skript.name)}>
              {inReadingOrder(skript.name)}
            </span>
          )}
          {job && (
            <span className="cell-sub three-lines" title={inReadingOrder(job)}>
              job {inReadingOrder(job)}
            </span>
          )}
        </>
      ),
    },
    {
      key: 'when',
      title: 'When',
      render: ({ cron_span: span, time_zone: zone }) => (
        <div title={`${spanWords(span) || span} (${zone})`}>
          {spanWords(span) || <span className="mono">{span}</span>}
          <span className="cell-sub">{zone}</span>
        </div>
      ),
    },
    { key: 'state', title: 'State', brief: true, render: schedule => <ScheduleState schedule={schedule} /> },
    {
      key: 'last',
      title: 'Last run',
      render: ({ triggered: [last], last_run: run }) => (
        <>
          {run && (
            <Link className="last-result" to={runHref(run.id)}>
              <RunStatus action={run.action} />
            </Link>
          )}
          <span className="cell-sub">{last ? <RelativeTime iso={last} /> : 'none yet'}</span>
        </>
      ),
    },
    {
      key: 'next',
      title: 'Next run',
      brief: true,
      sortBy: 'next_fire_at',
      render: ({ next_fire_at: next }) => (next ? <RelativeTime iso={next} /> : '–'),
    },
    {
      key: 'runs',
      title: 'Runs',
      sortBy: 'counter',
      render: ({ counter }) => <span className="tabular">{counter.toLocaleString('en-GB')}</span>,
    },
    {
      key: 'actions',
      title: 'Actions',
      actions: true,
      render: schedule => (
        <ScheduleActions schedule={schedule} size="compact-sm" onEdit={() => onEdit(schedule)} onRun={onRun} />
      ),
    },
  ];

  const isFiltered = !ofSkript && ['search', 'skript_id', 'state'].some(name => params.get(name) !== '');
  return (
    <DataTable<Listed<Schedule>['items'][number]>
      label="Schedules"
      what="The schedules"
      columns={columns}
      query={query}
      params={params}
      rowKey={({ id }) => id}
      toolbar={
        selection.selected.length > 0 ? (
          <BulkBar
            selection={selection}
            noun="schedule"
            nameOf={nameOf}
            actions={SCHEDULE_ACTIONS}
            reload={[QUERY_KEYS.schedules, QUERY_KEYS.executions]}
          />
        ) : ofSkript ? undefined : (
          <>
            <SearchField
              label="Search by name"
              value={params.get('search')}
              onChange={text => params.set({ search: text })}
            />
            <Filters set={['skript_id', 'state'].filter(name => params.get(name) !== '').length}>
              <SkriptSelect
                width={{ base: '100%', sm: 190 }}
                clearable
                placeholder="All skripts"
                value={params.get('skript_id') || null}
                onChange={id => params.set({ skript_id: id })}
              />
              <ChoiceFilter params={params} name="state" label="All states" choices={['on', 'paused']} width={150} />
            </Filters>
            <SavedFilters list="schedules" />
          </>
        )
      }
      empty={
        isFiltered ? (
          <NoMatches params={params} filters={['search', 'skript_id', 'state']} title="No matching schedules">
            No schedule matches all filters.
          </NoMatches>
        ) : (
          <EmptyState
            title={ofSkript ? 'Run this skript on a schedule' : 'Run a skript on a schedule'}
            action={<Button onClick={onNew}>New schedule</Button>}
          >
            A schedule starts a skript every hour, on weekdays at half past six, or at other times you set. Trawl
            records the outcome of each run.
          </EmptyState>
        )
      }
    />
  );
}
