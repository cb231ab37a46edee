import { Page } from '../components/page.js';
import { usePanelPath } from '../components/panel-path.js';
import { DatabasesTable } from '../features/storage/components/databases-table.js';

export default function DatabasesRoute() {
  const path = usePanelPath();
  return (
    <Page title="Storage" description="The MongoDB databases that your skripts write to.">
      <DatabasesTable skriptsHref={path('skripts')} />
    </Page>
  );
}
