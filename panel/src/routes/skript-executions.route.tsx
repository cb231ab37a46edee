import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { Page } from '../components/page.js';
import { usePanelPath } from '../components/panel-path.js';
import { ExecutionsTable } from '../features/skript-executions/components/executions-table.js';

export default function SkriptExecutionsRoute() {
  const path = usePanelPath();
  return (
    <Page
      title="Skript executions"
      description="Every run, with how it goes and how it ended. The table changes as the runs do."
      wide
      actions={
        <Button component={Link} to={path('execute-skript')}>
          Execute a skript
        </Button>
      }
    >
      <ExecutionsTable executeHref={path('execute-skript')} />
    </Page>
  );
}
