import { Page } from '../components/page.js';
import { WorkersTable } from '../features/workers/components/workers-table.js';

export default function WorkersRoute() {
  return (
    <Page
      title="Workers"
      description="The machines that run skripts. Yours run only on those that contain them well enough."
    >
      <WorkersTable />
    </Page>
  );
}
