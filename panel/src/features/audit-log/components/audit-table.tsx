import type { AuditEntry } from '../../../api/entities.js';
import { useOpenApi } from '../../../api/requests/get-openapi.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { chosenDays, DayFilters } from '../../../components/list/day-filters.js';
import { Filters } from '../../../components/list/filters.js';
import { useListParams } from '../../../components/list/list-params.js';
import { NoMatches } from '../../../components/list/no-matches.js';
import { SearchSelect } from '../../../components/selects/search-select.js';
import { UserSelect } from '../../../components/selects/user-select.js';
import { CopyId } from '../../../components/values/copy-id.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { TimeText, ZONE } from '../../../components/values/time-text.js';
import { useAuditEntries } from '../api/list-audit-entries.js';
import { fieldName, kindName, operationNames } from '../audit-names.js';

const columnsWith = (nameOf: (action: string) => string): Column<AuditEntry>[] => [
  {
    key: 'action',
    title: 'Operation',
    lead: true,
    render: entry => (
      <>
        <span className="cell-title">{nameOf(entry.action)}</span>
        {entry.fields.length > 0 && (
          <span className="cell-sub clip">{entry.fields.map(field => fieldName(entry.action, field)).join(', ')}</span>
        )}
      </>
    ),
  },
  {
    key: 'target',
    title: 'Target',
    names: true,
    brief: true,
    render: ({ target }) =>
      target && (
        <div>
          {target.name === null ? kindName(target.kind) : inReadingOrder(target.name)}
          <span className="cell-sub">
            {target.name !== null && kindName(target.kind)}{' '}
            {target.id !== '' && <CopyId id={target.id} short of={target.name ?? kindName(target.kind)} />}
          </span>
        </div>
      ),
  },
  {
    key: 'user',
    title: 'User',
    names: true,
    brief: true,
    render: entry => (
      <div>
        {entry.user?.username ?? 'unknown user'}
        {entry.key && <span className="cell-sub">with the key {entry.key.name}</span>}
      </div>
    ),
  },
  { key: 'ip', title: 'Address', render: entry => <span className="mono">{entry.ip}</span> },
  { key: 'status', title: 'Status', render: entry => <span className="tabular">{entry.status}</span> },
  {
    key: 'created',
    title: `When (${ZONE})`,
    brief: true,
    sortBy: 'created_at',
    render: entry => <TimeText iso={entry.created_at} />,
  },
];

const FILTERS = ['user_id', 'action', 'from', 'to'];

/** Table of the changes of all accounts, or only of the signed-in one. */
export function AuditTable({ isOwn = false }: { isOwn?: boolean }) {
  const params = useListParams('-created_at');
  const names = useOpenApi(operationNames);
  /** The name from the OpenAPI document. If it cannot be loaded, the id of the operation must do. */
  const nameOf = (action: string) => names.data?.get(action) ?? (names.isPending ? '' : action);
  const columns = columnsWith(nameOf);
  const chosen = params.get('action');
  const filter = {
    user_id: params.get('user_id') || undefined,
    action: chosen || undefined,
    ...chosenDays(params),
  };
  const query = useAuditEntries({ ...params.query, ...filter }, isOwn);
  const isFiltered = Object.values(filter).some(Boolean);
  return (
    <DataTable
      label="Audit log"
      what="The audit log"
      columns={isOwn ? columns.filter(({ key }) => key !== 'user') : columns}
      query={query}
      params={params}
      filterLabels={{ action: 'Operation' }}
      rowKey={entry => entry.id}
      toolbar={
        <Filters set={FILTERS.filter(name => params.get(name) !== '').length}>
          <SearchSelect
            w={{ base: '100%', sm: 260 }}
            clearable
            aria-label="All operations"
            placeholder="All operations"
            nothingFoundMessage="No matching operation"
            choices={[...(names.data ?? [])].map(([value, label]) => ({ value, label }))}
            chosen={chosen ? { value: chosen, label: nameOf(chosen) } : undefined}
            value={chosen || null}
            onChange={action => params.set({ action })}
            source={names}
          />
          {!isOwn && (
            <UserSelect
              width={{ base: '100%', sm: 210 }}
              placeholder="All users"
              value={params.get('user_id') || null}
              onChange={value => params.set({ user_id: value })}
            />
          )}
          <DayFilters params={params} />
        </Filters>
      }
      empty={
        isFiltered ? (
          <NoMatches params={params} filters={FILTERS} title="Nothing matches">
            No change matches these filters.
          </NoMatches>
        ) : (
          <EmptyState title="No changes yet">Every change through the panel or the API appears here.</EmptyState>
        )
      }
    />
  );
}
