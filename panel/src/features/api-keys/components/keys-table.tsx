import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ApiKey } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/confirm-delete.js';
import { type Column, DataTable } from '../../../components/data-table.js';
import { useListParams } from '../../../components/list-params.js';
import { EmptyState } from '../../../components/states.js';
import { Status } from '../../../components/status.js';
import { TimeText, ZONE } from '../../../components/time-text.js';
import { useApiKeys } from '../api/list-api-keys.js';
import { useRevokeApiKey } from '../api/revoke-api-key.js';
import { type KeyState, keyState } from '../key-terms.js';

const TONES = { 'in use': 'ok', 'never used': 'quiet', expired: 'warn', revoked: 'error' } as const satisfies Record<
  KeyState,
  string
>;

/** The keys of the account, those of before too; never the keys themselves. */
export function KeysTable({ onNew }: { onNew: () => void }) {
  const params = useListParams('-created_at');
  const query = useApiKeys(params.query);
  const revoke = useRevokeApiKey();
  const askToRevoke = ({ id, name }: ApiKey) =>
    confirmDelete({
      title: `Revoke ${name}?`,
      children:
        'Whatever uses this key is refused from then on, and its live connections are cut. It cannot be taken back.',
      confirmLabel: 'Revoke the key',
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
    { key: 'scope', title: 'Scope', sortBy: 'scope', render: key => <code>{key.scope}</code> },
    {
      key: 'state',
      title: 'State',
      render: key => {
        const state = keyState(key, Date.now());
        return <Status tone={TONES[state]} label={state} hollow={state !== 'in use'} />;
      },
    },
    {
      key: 'expires',
      title: `Expires (${ZONE})`,
      sortBy: 'expires_at',
      render: key => (key.expires_at ? <TimeText iso={key.expires_at} /> : 'never'),
    },
    {
      key: 'used',
      title: `Last used (${ZONE})`,
      sortBy: 'last_used_at',
      render: key => (key.last_used_at ? <TimeText iso={key.last_used_at} /> : 'never'),
    },
    {
      key: 'created',
      title: `Created (${ZONE})`,
      sortBy: 'created_at',
      render: key => <TimeText iso={key.created_at} />,
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
          title="Make your first API key"
          action={
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onNew}>
              New API key
            </Button>
          }
        >
          With a key a program of yours calls the Joint API as you, and may only what its scope says.
        </EmptyState>
      }
    />
  );
}
