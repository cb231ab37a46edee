import '../../styles/joint-api.css';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Page } from '../../components/page/page.js';
import { PoolModal } from '../../features/proxies/pool-modal.js';
import { PoolsTable } from '../../features/proxies/pools-table.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function ProxyPoolsRoute() {
  const path = usePanelPath();
  const [isAdding, setAdding] = useState(false);
  return (
    <Page
      title="Proxies"
      crumbs={<Link to={path('skripts')}>Skripts</Link>}
      description="Pools of your proxies, which your skripts share."
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
          Add a pool
        </Button>
      }
    >
      <PoolsTable poolHref={id => path('skripts', `/proxies/${id}`)} onAdd={() => setAdding(true)} />
      {isAdding && <PoolModal of={null} onClose={() => setAdding(false)} />}
    </Page>
  );
}
