import { Button, Group, Menu } from '@mantine/core';
import { countText } from '@trawl/contracts';
import { useState } from 'react';
import type { ProxyPool } from '../../api/entities.js';
import { confirmDelete } from '../../components/feedback/confirm-delete.js';
import { RowMenu } from '../../components/list/row-menu.js';
import { AddProxiesModal } from './add-proxies-modal.js';
import { PoolModal } from './pool-modal.js';
import { useDeletePool } from './proxies.js';

interface PoolActionsProps {
  pool: ProxyPool;
  size: 'sm' | 'compact-sm';
  onDeleted?: () => void;
}

/** Buttons that add proxies to a pool, change its settings and delete it. */
export function PoolActions({ pool, size, onDeleted }: PoolActionsProps) {
  const remove = useDeletePool();
  const [opened, setOpened] = useState<'add' | 'settings' | null>(null);
  const { name, proxies } = pool;
  const askToDelete = () =>
    confirmDelete({
      title: `Delete ${name}?`,
      children: `Its ${countText(proxies, 'proxy', 'proxies')} and their figures go with it. Runs of skripts that use the pool fail from now on.`,
      confirmLabel: 'Delete pool',
      onConfirm: () => remove.mutate(pool, { onSuccess: onDeleted }),
    });
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <Button size={size} variant="default" onClick={() => setOpened('add')} aria-label={`Add proxies to ${name}`}>
        Add proxies
      </Button>
      <RowMenu of={name} isBusy={remove.isPending}>
        <Menu.Item onClick={() => setOpened('settings')}>Settings…</Menu.Item>
        <Menu.Item color="red" onClick={askToDelete}>
          Delete…
        </Menu.Item>
      </RowMenu>
      {opened === 'add' && <AddProxiesModal pool={pool} onClose={() => setOpened(null)} />}
      {opened === 'settings' && <PoolModal of={pool} onClose={() => setOpened(null)} />}
    </Group>
  );
}
