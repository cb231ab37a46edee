import { Page } from '../components/page.js';
import { WorkersTable } from '../features/workers/components/workers-table.js';

export default function WorkersRoute() {
  return (
    <Page title="Workers" description="The machines that run your skripts. Public ones are open to everybody.">
      <WorkersTable />
    </Page>
  );
}
