import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { Page } from '../../components/page/page.js';
import { AllRunsTable } from '../../features/platform/all-runs-table.js';

export default function AllRunsRoute() {
  return (
    <Page
      title="All runs"
      description="Runs of all accounts, without their input and output."
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
