import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { Page } from '../components/page/page.js';
import { usePanelPath } from '../session/panel-path.js';

export function NotFound() {
  const path = usePanelPath();
  return (
    <Page title="Page not found" description="Check the address for mistakes. The page may also have been deleted.">
      <Button component={Link} to={path('dashboard')}>
        Go to the dashboard
      </Button>
    </Page>
  );
}
