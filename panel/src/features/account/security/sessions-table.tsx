import { Badge, Button } from '@mantine/core';
import type { Session } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { timeWords } from '../../../components/values/time-text.js';
import { useEndSession, useSessions } from './sessions.js';

function EndButton({ session }: { session: Session }) {
  const end = useEndSession();
  const address = session.ip ?? 'an unknown address';
  const name = session.current
    ? 'End this session'
    : `End the session from ${address} since ${timeWords(session.created_at)}`;
  const ask = () =>
    confirmDelete({
      title: `${name}?`,
      children: session.current
        ? 'You are signed out here.'
        : 'Whoever uses it is signed out at once. If it was not you, change your password too.',
      confirmLabel: 'End session',
      onConfirm: () => end.mutate(session),
    });
  return (
    <Button size="compact-sm" variant="default" loading={end.isPending} onClick={ask} aria-label={name}>
      End
    </Button>
  );
}

const columns: Column<Session>[] = [
  {
    key: 'ip',
    title: 'Signed in from',
    lead: true,
    render: ({ ip, current }) => (
      <>
        <span className="cell-title mono">{ip ?? 'unknown address'}</span>{' '}
        {current && (
          <Badge size="sm" variant="light" color="sea">
            this one
          </Badge>
        )}
      </>
    ),
  },
  {
    key: 'created',
    title: 'Since',
    brief: true,
    sortBy: 'created_at',
    render: session => <RelativeTime iso={session.created_at} />,
  },
  {
    key: 'expires',
    title: 'Ends',
    sortBy: 'expires_at',
    render: session => <RelativeTime iso={session.expires_at} />,
  },
  { key: 'actions', title: 'Actions', actions: true, render: session => <EndButton session={session} /> },
];

/** Table of the places where the account is signed in. */
export function SessionsTable() {
  const params = useListParams('-created_at');
  return (
    <DataTable
      label="Sessions"
      what="The sessions"
      columns={columns}
      query={useSessions(params.query)}
      params={params}
      rowKey={({ id }) => id}
      empty={<EmptyState title="No sessions">You are signed in nowhere else.</EmptyState>}
    />
  );
}
