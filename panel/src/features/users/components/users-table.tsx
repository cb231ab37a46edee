import { Button, Select } from '@mantine/core';
import { ROLES, type Role } from '@trawl/contracts';
import type { User } from '../../../api/entities.js';
import { useUsers } from '../../../api/requests/list-users.js';
import { type Column, DataTable } from '../../../components/data-table.js';
import { useListParams } from '../../../components/list-params.js';
import { SearchField } from '../../../components/search-field.js';
import { EmptyState } from '../../../components/states.js';
import { Status } from '../../../components/status.js';
import { TimeText, ZONE } from '../../../components/time-text.js';
import { ownQuotas } from '../quotas.js';
import { UserActions } from './user-actions.js';

function UserState({ user }: { user: User }) {
  if (user.disabled) return <Status tone="error" label="disabled" hollow />;
  if (!user.activated) return <Status tone="warn" label="no password yet" hollow />;
  return <Status tone="ok" label="open" />;
}

const columns: Column<User>[] = [
  {
    key: 'username',
    title: 'User name',
    sortBy: 'username',
    lead: true,
    render: user => <span className="cell-title">{user.username}</span>,
  },
  { key: 'role', title: 'Role', sortBy: 'role', render: user => user.role },
  { key: 'state', title: 'State', render: user => <UserState user={user} /> },
  {
    key: 'quotas',
    title: 'Quotas',
    render: user => {
      const own = ownQuotas(user.quotas);
      return own === 0 ? 'as the installation says' : `${own} of its own`;
    },
  },
  {
    key: 'created',
    title: `Created (${ZONE})`,
    sortBy: 'created_at',
    render: user => <TimeText iso={user.created_at} />,
  },
  { key: 'actions', title: 'Actions', actions: true, render: user => <UserActions user={user} /> },
];

/** Every account of the installation. */
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
          <Select
            w={{ base: '100%', sm: 170 }}
            clearable
            aria-label="Every role"
            placeholder="Every role"
            data={[...ROLES]}
            value={role || null}
            onChange={value => params.set({ role: value })}
          />
          <Select
            w={{ base: '100%', sm: 190 }}
            clearable
            aria-label="Open and disabled"
            placeholder="Open and disabled"
            data={[
              { value: 'open', label: 'not disabled' },
              { value: 'disabled', label: 'disabled' },
            ]}
            value={state || null}
            onChange={value => params.set({ state: value })}
          />
        </>
      }
      empty={
        search || role || state ? (
          <EmptyState
            title="No user matches"
            action={
              <Button variant="default" onClick={() => params.set({ role: null, state: null, search: null })}>
                Clear the filters
              </Button>
            }
          >
            No account has this name, role and state together.
          </EmptyState>
        ) : (
          <EmptyState title="There are no users" action={<Button onClick={onNew}>New user</Button>}>
            Accounts are made here, or by people themselves with the sign-up form.
          </EmptyState>
        )
      }
    />
  );
}
