import { Link } from 'react-router';
import { Page } from '../../components/page/page.js';
import { AllIssuesTable } from '../../features/skript-executions/issues/issues-table.js';

export default function AllIssuesRoute() {
  return (
    <Page
      title="Issues of all accounts"
      crumbs={
        <Link to=".." relative="path">
          All runs
        </Link>
      }
      description="Failed runs of all accounts, grouped by cause."
    >
      <AllIssuesTable />
    </Page>
  );
}
