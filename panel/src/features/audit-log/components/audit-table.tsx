import { Button, Select } from '@mantine/core';
import type { AuditEntry } from '../../../api/entities.js';
import { useUsers } from '../../../api/requests/list-users.js';
import { CopyId } from '../../../components/copy-id.js';
import { type Column, DataTable } from '../../../components/data-table.js';
import { chosenDays, DayFilters } from '../../../components/day-filters.js';
import { useListParams } from '../../../components/list-params.js';
import { SearchField } from '../../../components/search-field.js';
import { EmptyState } from '../../../components/states.js';
import { TimeText, ZONE } from '../../../components/time-text.js';
import { useAuditEntries } from '../api/list-audit-entries.js';

const columns: Column<AuditEntry>[] = [
  {
    key: 'action',
    title: 'What',
    lead: true,
    render: entry => (
      <>
        <span className="cell-title mono">{entry.action}</span>
        {entry.fields.length > 0 && <span className="cell-sub clip">{entry.fields.join(', ')}</span>}
      </>
    ),
  },
  {
    key: 'target',
    title: 'To what',
    render: ({ target }) =>
      target && (
        <div>
          {target.kind} <CopyId id={target.id} short of={target.kind} />
        </div>
      ),
  },
  {
    key: 'user',
    title: 'Who',
    render: entry => (
      <div>
        {entry.user?.username ?? 'nobody known'}
        {entry.key && <span className="cell-sub">with the key {entry.key.name}</span>}
      </div>
    ),
  },
  { key: 'ip', title: 'Address', render: entry => <span className="mono">{entry.ip}</span> },
  { key: 'status', title: 'Status', render: entry => <span className="tabular">{entry.status}</span> },
  {
    key: 'created',
    title: `When (${ZONE})`,
    sortBy: 'created_at',
    render: entry => <TimeText iso={entry.created_at} />,
  },
];

/** What all accounts changed. */
export function AuditTable() {
  const params = useListParams('-created_at');
  const users = useUsers({ limit: 1000, sort: 'username' });
  const filter = {
    user_id: params.get('user_id') || undefined,
    action: params.get('action').trim() || undefined,
    ...chosenDays(params),
  };
  const query = useAuditEntries({ ...params.query, ...filter });
  const isFiltered = Object.values(filter).some(Boolean);
  return (
    <DataTable
      label="Audit log"
      what="The audit log"
      columns={columns}
      query={query}
      params={params}
      rowKey={entry => entry.id}
      toolbar={
        <>
          <SearchField
            label="Operation, such as deleteSkript"
            value={params.get('action')}
            onChange={text => params.set({ action: text || null })}
          />
          <Select
            w={{ base: '100%', sm: 210 }}
            clearable
            searchable
            aria-label="Every user"
            placeholder="Every user"
            data={users.data?.items.map(({ id, username }) => ({ value: id, label: username })) ?? []}
            value={params.get('user_id') || null}
            onChange={value => params.set({ user_id: value })}
          />
          <DayFilters params={params} />
        </>
      }
      empty={
        isFiltered ? (
          <EmptyState
            title="Nothing matches"
            action={
              <Button
                variant="default"
                onClick={() => params.set({ user_id: null, action: null, from: null, to: null })}
              >
                Clear the filters
              </Button>
            }
          >
            Nobody did this in these days. An operation is named in full, as openapi.yaml has it.
          </EmptyState>
        ) : (
          <EmptyState title="Nothing has been changed yet">
            Each change that somebody makes, in the panel or by the API, becomes a line here.
          </EmptyState>
        )
      }
    />
  );
}
