import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ApiKey } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { Status } from '../../../components/values/status.js';
import { useApiKeys } from '../api/list-api-keys.js';
import { useRevokeApiKey } from '../api/revoke-api-key.js';
import { type KeyState, keyState } from '../key-terms.js';

const TONES = { 'in use': 'ok', 'never used': 'quiet', expired: 'warn', revoked: 'error' } as const satisfies Record<
  KeyState,
  string
>;

/** Table of the account's keys, including revoked and expired ones. It never shows the keys themselves. */
export function KeysTable({ onNew }: { onNew: () => void }) {
  const params = useListParams('-created_at');
  const query = useApiKeys(params.query);
  const revoke = useRevokeApiKey();
  const askToRevoke = ({ id, name }: ApiKey) =>
    confirmDelete({
      title: `Revoke ${name}?`,
      children:
        'Programs that use this key lose access at once, and their live connections are closed. You cannot undo this.',
      confirmLabel: 'Revoke key',
      onConfirm: () => revoke.mutate(id),
    });

  const columns: Column<ApiKey>[] = [
    {
      key: 'name',
      title: 'Name',
      sortBy: 'name',
      lead: true,
      render: key => <span className="cell-title">{key.name}</span>,
    },
    { key: 'scope', title: 'Scope', brief: true, sortBy: 'scope', render: key => <code>{key.scope}</code> },
    {
      key: 'state',
      title: 'State',
      brief: true,
      render: key => {
        const state = keyState(key, Date.now());
        return <Status tone={TONES[state]} label={state} hollow={state !== 'in use'} />;
      },
    },
    {
      key: 'expires',
      title: 'Expires',
      sortBy: 'expires_at',
      render: key => (key.expires_at ? <RelativeTime iso={key.expires_at} /> : 'never'),
    },
    {
      key: 'used',
      title: 'Last used',
      sortBy: 'last_used_at',
      render: key => (key.last_used_at ? <RelativeTime iso={key.last_used_at} /> : 'never'),
    },
    {
      key: 'created',
      title: 'Created',
      sortBy: 'created_at',
      render: key => <RelativeTime iso={key.created_at} />,
    },
    {
      key: 'actions',
      title: 'Actions',
      actions: true,
      render: key =>
        !key.revoked_at && (
          <Button
            size="xs"
            variant="subtle"
            color="red"
            onClick={() => askToRevoke(key)}
            aria-label={`Revoke ${key.name}`}
          >
            Revoke
          </Button>
        ),
    },
  ];

  return (
    <DataTable
      label="API keys"
      what="The API keys"
      columns={columns}
      query={query}
      params={params}
      rowKey={key => key.id}
      empty={
        <EmptyState
          title="Create your first API key"
          action={
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onNew}>
              New API key
            </Button>
          }
        >
          With an API key, your programs call the Joint API as you, within the scope of the key.
        </EmptyState>
      }
    />
  );
}
