import { Button } from '@mantine/core';
import { ROLES, type Role } from '@trawl/contracts';
import type { User } from '../../../api/entities.js';
import { useUsers } from '../../../api/requests/list-users.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { ChoiceFilter } from '../../../components/list/choice-filter.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { NoMatches } from '../../../components/list/no-matches.js';
import { SearchField } from '../../../components/list/search-field.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { Status } from '../../../components/values/status.js';
import { ownQuotas } from '../quota-form.js';
import { UserActions } from './user-actions.js';

function UserState({ user }: { user: User }) {
  if (user.disabled) return <Status tone="error" label="disabled" hollow />;
  if (!user.activated) return <Status tone="warn" label="no password yet" hollow />;
  if (user.expires_at === null) return <Status tone="ok" label="open" />;
  return (
    <>
      <Status tone="ok" label="open" />
      <span className="cell-sub">
        ends <RelativeTime iso={user.expires_at} />
      </span>
    </>
  );
}

const columns: Column<User>[] = [
  {
    key: 'username',
    title: 'User name',
    sortBy: 'username',
    lead: true,
    render: user => <span className="cell-title">{user.username}</span>,
  },
  { key: 'role', title: 'Role', brief: true, sortBy: 'role', render: user => user.role },
  { key: 'state', title: 'State', brief: true, render: user => <UserState user={user} /> },
  {
    key: 'quotas',
    title: 'Quotas',
    render: user => {
      const own = ownQuotas(user.quotas);
      return own === 0 ? 'default' : `${own} custom`;
    },
  },
  {
    key: 'created',
    title: 'Created',
    sortBy: 'created_at',
    render: user => <RelativeTime iso={user.created_at} />,
  },
  { key: 'actions', title: 'Actions', actions: true, render: user => <UserActions user={user} /> },
];

/** Table of all accounts. */
export function UsersTable({ onNew }: { onNew: () => void }) {
  const params = useListParams('username');
  const search = params.get('search');
  const role = params.get('role');
  const state = params.get('state');
  const query = useUsers({
    ...params.query,
    name_contains: search || undefined,
    role: (role || undefined) as Role | undefined,
    disabled: state === '' ? undefined : state === 'disabled',
  });
  return (
    <DataTable
      label="Users"
      what="The users"
      columns={columns}
      query={query}
      params={params}
      rowKey={user => user.id}
      toolbar={
        <>
          <SearchField label="Search by name" value={search} onChange={text => params.set({ search: text || null })} />
          <ChoiceFilter params={params} name="role" label="All roles" choices={[...ROLES]} width={170} />
          <ChoiceFilter
            params={params}
            name="state"
            label="Enabled and disabled"
            choices={[
              { value: 'open', label: 'enabled' },
              { value: 'disabled', label: 'disabled' },
            ]}
            width={190}
          />
        </>
      }
      empty={
        search || role || state ? (
          <NoMatches params={params} filters={['role', 'state', 'search']} title="No matching users">
            No account matches all filters.
          </NoMatches>
        ) : (
          <EmptyState title="No users yet" action={<Button onClick={onNew}>New user</Button>}>
            Create accounts here, or let people sign up themselves.
          </EmptyState>
        )
      }
    />
  );
}
