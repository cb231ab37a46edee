import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { Page } from '../../components/page/page.js';
import { AllRunsTable } from '../../features/platform/all-runs-table.js';

export default function AllRunsRoute() {
  return (
    <Page
      title="All runs"
      description="The runs of all accounts on all workers, without what they read and return."
      actions={
        <Button variant="default" component={Link} to="issues">
          Issues
        </Button>
      }
    >
      <AllRunsTable />
    </Page>
  );
}
