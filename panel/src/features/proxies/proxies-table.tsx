import { Button, Group, Menu } from '@mantine/core';
import { useState } from 'react';
import type { PoolProxy } from '../../api/entities.js';
import { confirmDelete } from '../../components/feedback/confirm-delete.js';
import { EmptyState } from '../../components/feedback/states.js';
import { type Column, DataTable } from '../../components/list/data-table.js';
import { useListParams } from '../../components/list/list-params.js';
import { RowMenu } from '../../components/list/row-menu.js';
import { RelativeTime } from '../../components/values/relative-time.js';
import { Status } from '../../components/values/status.js';
import { columnsOfUse } from './columns-of-use.js';
import { useProxies, useRemoveProxy } from './proxies.js';
import { TagsModal } from './tags-modal.js';

const TONES = { unused: 'quiet', healthy: 'ok', failing: 'error', resting: 'warn', unusable: 'error' } as const;

/** The reason beside the state: an address from before Trawl refused its scheme or port. */
const LABELS: Partial<Record<PoolProxy['state'], string>> = { unusable: 'unusable scheme or port' };

interface ProxyActionsProps {
  poolId: string;
  proxy: PoolProxy;
  onTags: () => void;
}

function ProxyActions({ poolId, proxy, onTags }: ProxyActionsProps) {
  const remove = useRemoveProxy();
  const { address } = proxy;
  const askToRemove = () =>
    confirmDelete({
      title: `Remove ${address}?`,
      children: 'Its figures go with it. Runs that have it may use it until they end.',
      confirmLabel: 'Remove proxy',
      onConfirm: () => remove.mutate({ poolId, proxy }),
    });
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <Button size="compact-sm" variant="default" onClick={onTags} aria-label={`Change the tags of ${address}`}>
        Tags
      </Button>
      <RowMenu of={address} isBusy={remove.isPending}>
        <Menu.Item color="red" onClick={askToRemove}>
          Remove…
        </Menu.Item>
      </RowMenu>
    </Group>
  );
}

const columnsWith = (poolId: string, onTags: (proxy: PoolProxy) => void): Column<PoolProxy>[] => [
  {
    key: 'address',
    title: 'Proxy',
    sortBy: 'address',
    lead: true,
    names: true,
    render: ({ address }) => <span className="cell-title mono">{address}</span>,
  },
  { key: 'country', title: 'Country', render: ({ country }) => country ?? 'none' },
  { key: 'tier', title: 'Tier', sortBy: 'tier', render: ({ tier }) => tier },
  {
    key: 'health',
    title: 'Health',
    brief: true,
    named: true,
    render: ({ state, rests_until: until }) => (
      <>
        <Status tone={TONES[state]} label={LABELS[state] ?? state} hollow={state === 'unused'} />
        {until !== null && (
          <>
            {' '}
            until <RelativeTime iso={until} />
          </>
        )}
      </>
    ),
  },
  ...columnsOfUse<PoolProxy>(true),
  {
    key: 'actions',
    title: 'Actions',
    actions: true,
    render: proxy => <ProxyActions poolId={poolId} proxy={proxy} onTags={() => onTags(proxy)} />,
  },
];

/** Table of the proxies of a pool. */
export function ProxiesTable({ poolId }: { poolId: string }) {
  const params = useListParams('tier');
  const [tagged, setTagged] = useState<PoolProxy | null>(null);
  return (
    <>
      <DataTable
        label="Proxies"
        what="The proxies"
        columns={columnsWith(poolId, setTagged)}
        query={useProxies(poolId, params.query)}
        params={params}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No proxies">Runs that use this pool fail until you add proxies.</EmptyState>}
      />
      {tagged && <TagsModal poolId={poolId} proxy={tagged} onClose={() => setTagged(null)} />}
    </>
  );
}
