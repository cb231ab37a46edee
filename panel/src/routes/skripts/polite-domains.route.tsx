import { Button } from '@mantine/core';
import { IconAdjustments, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Page } from '../../components/page/page.js';
import { BudgetModal } from '../../features/polite-domains/budget-modal.js';
import { usePoliteDomain } from '../../features/polite-domains/polite-domains.js';
import { PoliteDomainsTable } from '../../features/polite-domains/polite-domains-table.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function PoliteDomainsRoute() {
  const path = usePanelPath();
  const usual = usePoliteDomain('*').data;
  const [opened, setOpened] = useState<'usual' | 'new' | null>(null);
  return (
    <Page
      title="Polite domains"
      crumbs={<Link to={path('skripts')}>Skripts</Link>}
      description="How fast your polite runs together send requests to a domain."
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconAdjustments size={16} aria-hidden />}
            disabled={!usual}
            onClick={() => setOpened('usual')}
          >
            Default budget
          </Button>
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpened('new')}>
            Set a budget
          </Button>
        </>
      }
    >
      <PoliteDomainsTable />
      {opened && <BudgetModal of={opened === 'usual' && usual ? usual : null} onClose={() => setOpened(null)} />}
    </Page>
  );
}
