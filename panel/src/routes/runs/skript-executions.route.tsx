import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Page } from '../../components/page/page.js';
import { ExecutionsTable } from '../../features/skript-executions/components/executions-table.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function SkriptExecutionsRoute() {
  const path = usePanelPath();
  return (
    <Page
      title="Skript executions"
      description="All runs, updated live."
      actions={
        <>
          <Button
            variant="default"
            component={Link}
            to={path('skript-executions', '/issues')}
            leftSection={<IconAlertTriangle size={16} aria-hidden />}
          >
            Issues
          </Button>
          <Button component={Link} to={path('execute-skript')}>
            Execute a skript
          </Button>
        </>
      }
    >
      <ExecutionsTable executeHref={path('execute-skript')} />
    </Page>
  );
}
