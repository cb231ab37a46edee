import { Select } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { ISSUE_STATUSES, type IssueStatus } from '@trawl/contracts';
import type { ReactNode } from 'react';
import type { Issue, Listed, PlatformIssue } from '../../../api/entities.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { Filters } from '../../../components/list/filters.js';
import { type ListParams, useListParams } from '../../../components/list/list-params.js';
import { NoMatches } from '../../../components/list/no-matches.js';
import { SkriptSelect } from '../../../components/selects/skript-select.js';
import { UserSelect } from '../../../components/selects/user-select.js';
import { IssueActions } from './issue-actions.js';
import { type IssueLinks, issueColumns } from './issue-columns.js';
import { useAllIssues, useIssues } from './issues.js';

const FILTER_WIDTH = { base: '100%', sm: 210 };
const DEFAULT_ORDER = '-last_seen_at';

/** Stands for all statuses in the address, where no status means `open`. */
const ALL = 'all';
const STATUS_CHOICES = [
  ...ISSUE_STATUSES.map(status => ({ value: status, label: `${status[0]?.toUpperCase()}${status.slice(1)}` })),
  { value: ALL, label: 'All statuses' },
];

const chosenStatus = (params: ListParams): string => params.get('status') || 'open';

const queryOf = (params: ListParams) => ({
  ...params.query,
  status: chosenStatus(params) === ALL ? undefined : (chosenStatus(params) as IssueStatus),
});

interface IssuesListProps<T> {
  label: string;
  columns: Column<T>[];
  query: UseQueryResult<Listed<T>>;
  params: ListParams;
  /** Parameter in the address of the filter besides the status. */
  filter?: string;
  /** The field of this filter. */
  children?: ReactNode;
}

function IssuesList<T extends Issue>({ label, columns, query, params, filter, children }: IssuesListProps<T>) {
  const filters = filter === undefined ? ['status'] : ['status', filter];
  const status = chosenStatus(params);
  return (
    <DataTable
      label={label}
      what="The issues"
      columns={columns}
      query={query}
      params={params}
      rowKey={({ id }) => id}
      toolbar={
        <Filters set={filters.filter(name => params.get(name) !== '').length}>
          <Select
            w={{ base: '100%', sm: 150 }}
            allowDeselect={false}
            aria-label="Status"
            data={STATUS_CHOICES}
            value={status}
            onChange={value => params.set({ status: value === 'open' ? null : value })}
          />
          {children}
        </Filters>
      }
      empty={
        (filter && params.get(filter) !== '') || !['open', ALL].includes(status) ? (
          <NoMatches params={params} filters={filters} title="No matching issues">
            No issue matches all filters.
          </NoMatches>
        ) : (
          <EmptyState title={status === ALL ? 'No issues yet' : 'No open issues'}>
            Runs that fail in the same way appear here as one issue, with the version that began it.
          </EmptyState>
        )
      }
    />
  );
}

interface IssuesTableProps {
  links: IssueLinks;
  /** Shows only issues of this skript. */
  skriptId?: string;
}

/** Table of the account's issues. */
export function IssuesTable({ links, skriptId }: IssuesTableProps) {
  const params = useListParams(DEFAULT_ORDER);
  const query = useIssues({ ...queryOf(params), skript_id: skriptId ?? (params.get('skript_id') || undefined) });
  // The filter already tells the status, unless an issue came back.
  const isStatusKnown =
    chosenStatus(params) !== ALL && query.data?.items.every(({ reopened_at: reopenedAt }) => reopenedAt === null);
  const isShown = ({ key }: Column<Issue>) => !(key === 'skript' && skriptId) && !(key === 'status' && isStatusKnown);
  const columns: Column<Issue>[] = [
    ...issueColumns(links).filter(isShown),
    { key: 'actions', title: 'Actions', actions: true, render: issue => <IssueActions issue={issue} /> },
  ];
  if (skriptId) return <IssuesList label="Issues" columns={columns} query={query} params={params} />;
  return (
    <IssuesList label="Issues" columns={columns} query={query} params={params} filter="skript_id">
      <SkriptSelect
        width={FILTER_WIDTH}
        clearable
        placeholder="All skripts"
        value={params.get('skript_id') || null}
        onChange={value => params.set({ skript_id: value })}
      />
    </IssuesList>
  );
}

const [issueColumn, ...otherColumns] = issueColumns();
const PLATFORM_COLUMNS: Column<PlatformIssue>[] = [
  issueColumn,
  {
    key: 'owner',
    title: 'User',
    names: true,
    brief: true,
    render: ({ owner }) => owner.username || 'deleted account',
  },
  ...otherColumns,
];

/** Table of the issues of all accounts, for administrators. Only the owner of an issue can change its status. */
export function AllIssuesTable() {
  const params = useListParams(DEFAULT_ORDER);
  const query = useAllIssues({ ...queryOf(params), user_id: params.get('user_id') || undefined });
  return (
    <IssuesList
      label="Issues of all accounts"
      columns={PLATFORM_COLUMNS}
      query={query}
      params={params}
      filter="user_id"
    >
      <UserSelect
        width={FILTER_WIDTH}
        placeholder="All users"
        value={params.get('user_id') || null}
        onChange={value => params.set({ user_id: value })}
      />
    </IssuesList>
  );
}
